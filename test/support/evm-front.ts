import { type JsonReply, type JsonRequest, type JsonServer, startJsonServer } from './json-server.ts';

/** How the front answers one method, given its parameters. Undefined: as the node does. */
// biome-ignore lint/suspicious/noExplicitAny: what others send
type OwnAnswer = (params: any[]) => { status?: number; result?: unknown; error?: object } | undefined;

/** A provider in front of a real EVM node: forwards requests, counts them, and answers some itself. */
export interface EvmFront {
  url: string;
  /** How often the method was called. */
  count: (method?: string) => number;
  forget: () => void;
  /** Replaces the own answers, by method. */
  answer: (own: Record<string, OwnAnswer>) => void;
  close: JsonServer['close'];
}

export async function startEvmFront(rpcUrl: string): Promise<EvmFront> {
  let answers: Record<string, OwnAnswer> = {};
  const reply = async ({ body }: JsonRequest): Promise<JsonReply> => {
    const { id, method, params } = body;
    const own = answers[method]?.(params ?? []);
    if (own) {
      const { status = 200, ...rest } = own;
      return { status, json: { jsonrpc: '2.0', id, ...rest } };
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  const server = await startJsonServer(reply);
  return {
    url: server.url,
    count: (method) => server.received.filter(({ body }) => !method || body.method === method).length,
    forget: () => {
      server.received.length = 0;
    },
    answer: (own) => {
      answers = own;
    },
    close: server.close,
  };
}
