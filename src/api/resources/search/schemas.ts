import { z } from 'zod';
import { describeField, line } from '../../schemas/request-fields.ts';
import { id } from '../../schemas/response-fields.ts';

/** The kinds of things that a search finds. */
export const SEARCHED_KINDS = [
  'order',
  'agent_key',
  'lp',
  'user',
  'admin',
  'deposit',
  'withdrawal',
  'posting',
] as const;
export type SearchedKind = (typeof SEARCHED_KINDS)[number];

/** What of it equals the text, or begins with it. */
const MATCHES = ['id', 'payment_id', 'tx_hash', 'name', 'integrator_name'] as const;
export type SearchMatch = (typeof MATCHES)[number];

/** `GET /api/admin/search`. */
export const searchQuery = z.object({
  q: describeField(
    line(200),
    'An id; a `payment_id`, or its beginning with at least four digits; a transaction hash in any spelling, or at least six of its first digits; or the beginning of a name. Upper and lower case of a to z are the same; those of other letters if the locale of the database says so.',
  ),
});

const found = z.strictObject({
  kind: z.enum(SEARCHED_KINDS),
  id,
  matched: z.enum(MATCHES).describe('What equals the text or begins with it.'),
  name: z.string().nullable().describe('Of a key, an LP, a user or an admin; null: it has none.'),
  status: z
    .string()
    .nullable()
    .describe(
      'The status; of a key or an admin `active`, `expired` or `inactive`, of a posting its kind. Null: users have none.',
    ),
  link: z.string().describe('The path of the API that returns it, or the list that has it.'),
});
export type SearchResult = z.output<typeof found>;

export const searchResponse = z.strictObject({
  results: z.array(found).describe('Ids first, then hashes, then names; at most ten by each.'),
});
export type SearchResponse = z.output<typeof searchResponse>;
