import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { MOST_LOOKUPS } from '../../domain/deposit-status.ts';
import { DomainError } from '../../domain/errors.ts';

const COUNT = statement(
  'deposit-lookup',
  `update collateral_deposit set lookups = lookups + 1 where id = $id and lookups < ${MOST_LOOKUPS} returning id`,
);
const RETURN = statement(
  'deposit-lookup-return',
  'update collateral_deposit set lookups = lookups - 1 where id = $id and lookups > 0',
);

/**
 * Counts a look-up of a deposit before it begins, so that parallel ones stay within the limit too. An LP needs no approval to
 * confirm, and every look-up costs requests to the chain's node. Refuses with `deposit_lookups_used`.
 */
export async function countLookup(db: Database, id: number): Promise<void> {
  const [counted] = await run(db, COUNT, { id });
  if (!counted) throw new DomainError('deposit_lookups_used');
}

/** Some look-ups do not count after all, such as one that the chain did not answer. */
export const returnLookup = async (db: Database, id: number): Promise<void> =>
  void (await run(db, RETURN, { id }));
