import { randomUUID } from 'node:crypto';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { DomainError } from '../domain/errors.ts';
import { decide } from '../domain/order-decision.ts';
import { type Resolution, resolveCommand } from './commands.ts';
import { orderState } from './order-state-row.ts';
import { dryRun, type ResolutionResult, resultOf } from './resolution-postings.ts';

/**
 * Returns what this resolution of a dispute would post, and the transaction that would count as the payment, or throws the
 * refusal that the resolution would get. Changes nothing.
 */
export async function dryRunResolution(
  db: Database,
  order: Order,
  resolution: Resolution,
): Promise<ResolutionResult> {
  const command = resolveCommand(resolution);
  const state = orderState(order);
  const decision = decide(state, command);
  if (decision.kind === 'refuse') throw new DomainError(decision.code);
  if (decision.kind === 'already') return resultOf(db, order.id, order.version);
  const { refusal, ...result } = await dryRun(db, decision.step, {
    orderId: order.id,
    state,
    requestId: randomUUID(),
    actor: 'admin:root',
    command,
  });
  if (refusal) throw new DomainError(refusal);
  return result;
}
