import type { SearchResponse } from '../api/resources/search/schemas.ts';
import { command } from './command.ts';
import { table } from './output.ts';

/** `find`: looks everywhere for an id, a hash or a name. */
export const FIND_COMMANDS = [
  command('find <text>', 'find an order, key, LP, user, admin or transfer', {
    call: 'GET /api/admin/search',
    args: {
      '<text>': 'an id, a payment_id, a transaction hash, or the beginning of a name, payment_id or hash',
    },
    fields: ({ text }) => ({ q: text }),
    print: ({ results }: SearchResponse, { text }) =>
      results.length === 0
        ? `Nothing has the id "${text}", or a payment_id, a hash or a name that begins with it.`
        : table(results, { kind: 'kind', id: 'id', matched: 'matched', name: 'name', status: 'status' }),
  }),
];
