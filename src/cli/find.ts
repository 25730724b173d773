import type { Command } from 'commander';
import type { SearchResponse } from '../api/resources/search/schemas.ts';
import type { Cli } from './cli.ts';
import { table } from './output.ts';

/** `find`: looks everywhere for an id, a hash or a name. */
export function addFindCommand(program: Command, { call, show }: Cli): void {
  program
    .command('find')
    .description('find an order, key, LP, user, admin or transfer')
    .argument(
      '<text>',
      'an id, a payment_id, a transaction hash, or the beginning of a name, payment_id or hash',
    )
    .action(async (text: string) => {
      const found = await call<SearchResponse>(
        'GET',
        `/api/admin/search?${new URLSearchParams({ q: text })}`,
      );
      show(found, ({ results }) =>
        results.length === 0
          ? `Nothing has the id "${text}", or a payment_id, a hash or a name that begins with it.`
          : table(results, {
              kind: ({ kind }) => kind,
              id: ({ id }) => id,
              matched: ({ matched }) => matched,
              name: ({ name }) => name,
              status: ({ status }) => status,
            }),
      );
    });
}
