import { startJsonServer } from './json-server.ts';

/** A span as the exporter sent it. Ids are hexadecimal. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1: internal, 2: server, 3: client. */
  kind: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  /** 2: failed. */
  status: number;
  resource: Record<string, unknown>;
}

export interface TraceReceiver {
  /** The value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans: () => ReceivedSpan[];
  /** Everything received, unchanged. */
  text: () => string;
  /** The number of requests. */
  requests: () => number;
  /** Answers with this status from now on. */
  answer: (status: number) => void;
  close: () => Promise<void>;
}

type Attributes = { key: string; value: Record<string, unknown> }[];

/** An OTLP/HTTP endpoint for traces in JSON. */
export async function startTraceReceiver(status = 200): Promise<TraceReceiver> {
  const server = await startJsonServer(() => ({ status, json: {} }));
  const sent = () => server.received.filter(({ path }) => path === '/v1/traces').map(({ body }) => body);
  return {
    url: server.url,
    spans: () => sent().flatMap(({ resourceSpans }) => resourceSpans.flatMap(spansOf)),
    text: () => JSON.stringify(sent()),
    requests: () => server.received.length,
    answer: (next) => server.answer(() => ({ status: next, json: {} })),
    close: server.close,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: JSON from other parties
const spansOf = ({ resource, scopeSpans }: any): ReceivedSpan[] =>
  scopeSpans.flatMap(({ spans }: { spans: Record<string, never>[] }) =>
    spans.map(({ attributes, links = [], status, ...span }) => ({
      ...span,
      attributes: read(attributes),
      links,
      status: (status as { code?: number } | undefined)?.code ?? 0,
      resource: read(resource.attributes),
    })),
  );

const read = (attributes: Attributes = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
