import { type JsonReply, type JsonRequest, type JsonServer, startJsonServer } from './json-server.ts';

/** The proxy's own answer to a method with these parameters. Undefined: the proxy forwards the request to the node. */
// biome-ignore lint/suspicious/noExplicitAny: JSON from other parties
type OwnAnswer = (params: any[]) => { status?: number; result?: unknown; error?: object } | undefined;

/** A JSON-RPC proxy in front of a real EVM node. It forwards requests, counts them, and answers some itself. */
export interface EvmRpcProxy {
  url: string;
  /** The number of calls of a method, or of all methods. */
  count: (method?: string) => number;
  resetCount: () => void;
  /** Replaces the proxy's own answers, by method. */
  answer: (own: Record<string, OwnAnswer>) => void;
  close: JsonServer['close'];
}

export async function startEvmRpcProxy(rpcUrl: string): Promise<EvmRpcProxy> {
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
    resetCount: () => {
      server.received.length = 0;
    },
    answer: (own) => {
      answers = own;
    },
    close: server.close,
  };
}
