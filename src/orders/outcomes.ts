import type { Database } from '../db/orm.ts';
import type { OrderStatus } from '../domain/order-state.ts';
import type { OrderMoved, StepRefusal } from '../domain/order-steps.ts';

/** The recorded answer to a request that was sent to an order's workflow. */
export interface Outcome {
  result: 'applied' | 'already' | StepRefusal | OrderMoved;
  /** The order's status after it. */
  status: OrderStatus;
}

type Row = Outcome & { request_id: string };

const READ = 'select request_id, result, status from order_outcome where request_id = any($1::uuid[])';

/** Reads the recorded outcomes of these requests. Omits requests that have none yet. */
export const readOutcomes = (db: Database, requestIds: string[]): Promise<Row[]> =>
  db.query<Row>('outcomes', READ, [requestIds]);
