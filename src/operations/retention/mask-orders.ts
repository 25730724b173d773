import type { ReceiptStore } from '../../adapters/ports.ts';
import type { Database } from '../../db/orm.ts';

export interface MaskingDeps {
  db: Database;
  receipts: Pick<ReceiptStore, 'remove'>;
}

/** `failures`: receipts whose files could not be deleted. Their orders stay unfinished, and the next masking tries again. */
export interface Masked {
  ids: number[];
  failures: unknown[];
}

const BEGIN = 'select begin_masking($1::bigint[]) as id';
const RECEIPTS = 'select receipt_key as key from receipt where order_id = any ($1::bigint[])';
const END = 'select end_masking($1::bigint[], $2::varchar[], $3) as id';

/**
 * Removes the personal data of these orders: from the rows, from every copy in other tables, and the files of the
 * receipts. Amounts, the books and hashes stay. Leaves out orders that have not ended, and orders with a webhook that is
 * still being sent. The audit gets one event about `object`.
 *
 * The rows come first. So a webhook body that is written afterwards is made from masked rows, and a crash in between leaves
 * orders that the next masking finishes.
 */
export async function maskOrders(
  { db, receipts }: MaskingDeps,
  orderIds: readonly number[],
  object: string,
): Promise<Masked> {
  const begun = idsOf(await db.query<{ id: number }>('masking-begin', BEGIN, [orderIds]));
  const keys = await db.query<{ key: string }>('masking-receipts', RECEIPTS, [begun]);
  const failures: unknown[] = [];
  const deleted: string[] = [];
  for (const { key } of keys) {
    await receipts.remove(key).then(
      () => deleted.push(key),
      (error) => failures.push(error),
    );
  }
  const ids = idsOf(await db.query<{ id: number }>('masking-end', END, [begun, deleted, object]));
  return { ids, failures };
}

/**
 * Masks batch after batch, each with its event about `object`. Returns how many orders it has masked. Rejects with an
 * AggregateError, after all batches, if files of receipts could not be deleted.
 */
export async function maskBatches(
  deps: MaskingDeps,
  batches: AsyncIterable<number[]>,
  object: string,
): Promise<number> {
  const failures: unknown[] = [];
  let masked = 0;
  for await (const orderIds of batches) {
    const batch = await maskOrders(deps, orderIds, object);
    masked += batch.ids.length;
    failures.push(...batch.failures);
  }
  if (failures.length === 0) return masked;
  throw new AggregateError(failures, `${failures.length} files of receipts could not be deleted`);
}

const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id);
