import { type Call, expectStatus } from '../../dev/http-client.ts';
import type { BulkRunDetail } from '../../src/api/resources/bulk-runs/schemas.ts';
import type { TestCorridor } from './corridor.ts';
import { eventually } from './eventually.ts';

export const BULK = '/api/admin/bulk-runs';

/** Makes a dry run. `body`: more fields of the request. */
export const dryRun = (
  admin: Call,
  action: string,
  where: string,
  body: object = {},
): Promise<BulkRunDetail> =>
  expectStatus(201, admin('POST', BULK, { action, where, reason: 'The network is down', ...body }));

export const startRun = (admin: Call, id: number) => admin('POST', `${BULK}/${id}/start`);
export const readRun = (admin: Call, id: number): Promise<BulkRunDetail> =>
  expectStatus(200, admin('GET', `${BULK}/${id}`));

/** Waits until a run has ended. */
export const endedRun = (admin: Call, id: number, timeoutMs?: number): Promise<BulkRunDetail> =>
  eventually(async () => {
    const run = await readRun(admin, id);
    return ['finished', 'stopped'].includes(run.state) && run;
  }, timeoutMs);

/** Makes a dry run, starts it and waits for its end. */
export async function bulk(
  admin: Call,
  action: string,
  where: string,
  body: object = {},
): Promise<BulkRunDetail> {
  const { id } = await dryRun(admin, action, where, body);
  await expectStatus(200, startRun(admin, id));
  return endedRun(admin, id);
}

/** How many events of each cause the orders have, such as `{ cancel: 1 }`. */
export async function eventsOf(
  { db }: Pick<TestCorridor, 'db'>,
  orderId: number,
): Promise<Record<string, number>> {
  const sql = 'select cause, count(*)::int as events from order_event where order_id = $1 group by cause';
  const rows = await db.query<{ cause: string; events: number }>('test-events', sql, [orderId]);
  return Object.fromEntries(rows.map(({ cause, events }) => [cause, events]));
}
