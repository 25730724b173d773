import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/db/orm.ts';
import type { Command } from '../../src/domain/order-commands.ts';
import type { OrderState, StepName } from '../../src/domain/order-state.ts';
import type { StepInput, StepReport } from '../../src/domain/order-steps.ts';
import { orderState, STATE_COLUMNS, type StateRow } from '../../src/orders/order-state-row.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';

/** The state of an order's row. */
export async function stateOf(db: Pick<Database, 'pool'>, orderId: number): Promise<OrderState> {
  const { rows } = await db.pool.query<StateRow>(`select ${STATE_COLUMNS} from orders where id = $1`, [
    orderId,
  ]);
  if (!rows[0]) throw new Error(`There is no order ${orderId}`);
  return orderState(rows[0]);
}

/** A worker's input for a command on the order, with the state of the order's row. */
export async function stepInput(
  db: Pick<Database, 'pool'>,
  orderId: number,
  command: Command,
  actor = 'lpId' in command ? `lp:${command.lpId}` : 'service',
): Promise<StepInput> {
  const state = await stateOf(db, orderId);
  return { orderId, state, requestId: randomUUID(), actor, command, forVersion: state.version };
}

/** Runs a step as a worker does, with the state of the order's row. */
export const takeStep = async (
  db: Database,
  step: StepName,
  orderId: number,
  command: Command,
  actor?: string,
): Promise<StepReport> => performStep(db, step, await stepInput(db, orderId, command, actor), NO_LIMITS);
