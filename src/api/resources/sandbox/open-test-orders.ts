import type { Database } from '../../../db/orm.ts';
import { TEST_RECIPIENTS } from '../../../domain/sandbox-values.ts';

/** An open order to a test recipient of the sandbox. */
export interface TestOrder {
  order_id: number;
  recipient: string;
  /** How many LPs have failed or released it. */
  failed_claims: number;
}

const RECIPIENTS = Object.keys(TEST_RECIPIENTS);
const MOST = 100;

const OPEN = `
  select id::float as order_id, recipient, cardinality(excluded_lp_ids) as failed_claims
  from orders
  where status = 'matched' and frozen_ms is null and recipient = any($1::varchar[])
  order by id limit ${MOST}`;

export const openTestOrders = (db: Database): Promise<TestOrder[]> =>
  db.query<TestOrder>('open-test-orders', OPEN, [RECIPIENTS]);
