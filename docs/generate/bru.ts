/** One request of a Bruno collection. */
export interface BruRequest {
  name: string;
  /** Its place in its folder, from 1. */
  seq: number;
  method: string;
  url: string;
  /** The variable that has the key; null: it needs none. */
  key: string | null;
  /** Names and values; one that begins with `~` is switched off until somebody wants it. */
  query: Record<string, string>;
  headers: Record<string, string>;
  body: { json: unknown } | { form: Record<string, string> } | null;
  /** Variables that the answer sets, each from an expression such as `res.body.id`. */
  captures: Record<string, string>;
  /** What must hold of the answer: an expression, and an operator with its operand. */
  asserts: Record<string, string>;
  docs: string;
}

/** The request in Bruno's own language, as its editor writes it. */
export function bruText(request: BruRequest): string {
  const { name, seq, method, url, key, query, headers, body, captures, asserts, docs } = request;
  const kind = body === null ? 'none' : 'json' in body ? 'json' : 'multipartForm';
  const blocks = [
    pairs('meta', { name, type: 'http', seq: String(seq) }),
    pairs(method.toLowerCase(), { url, body: kind, auth: key === null ? 'none' : 'bearer' }),
    pairs('params:query', query),
    pairs('headers', headers),
    key === null ? '' : pairs('auth:bearer', { token: `{{${key}}}` }),
    bodyBlock(body),
    pairs('vars:post-response', captures),
    pairs('assert', asserts),
    textBlock('docs', docs),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/** A value that is a variable and nothing else is put in as it is, a number as a number. */
const WHOLE_VARIABLE = /"(\{\{\w+\}\})"/g;

function bodyBlock(body: BruRequest['body']): string {
  if (body === null) return '';
  return 'json' in body
    ? textBlock('body:json', JSON.stringify(body.json, null, 2).replace(WHOLE_VARIABLE, '$1'))
    : pairs('body:multipart-form', body.form);
}

/** A block of names and values; none where there are none. */
export const pairs = (block: string, values: Record<string, string>): string =>
  textBlock(
    block,
    Object.entries(values)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );

/** Only the brace that ends a block stands at the beginning of a line. */
const textBlock = (block: string, text: string): string =>
  text === '' ? '' : `${block} {\n${text.replace(/^(?=.)/gm, '  ')}\n}`;
