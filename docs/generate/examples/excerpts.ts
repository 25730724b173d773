import type { Answer } from '../../../dev/http-client.ts';

/** What the examples show of responses that are too long, by route and status. */
const EXCERPTS: Record<string, (body: Answer['body']) => unknown> = {
  'GET /metrics 200': (text: Buffer) =>
    `${text
      .toString()
      .split('\n')
      .filter((line) => /\bcorridor_orders\b/.test(line))
      .join('\n')}\n`,
  'GET /openapi.json 200': ({ openapi, info, servers, paths }) => ({
    openapi,
    info: { title: info.title, version: info.version },
    servers,
    paths: { '/healthz': paths['/healthz'] },
  }),
};

/** The body of a JSON or text response, or the excerpt that its example shows. Undefined for a file. */
export function exampleFrom(key: string, { body, headers }: Answer): unknown {
  const excerpt = EXCERPTS[key];
  if (excerpt) return excerpt(body);
  return headers.get('content-type')?.startsWith('application/json') ? body : undefined;
}
