import { randomUUID } from 'node:crypto';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { type Posting, postingsOf, rehearse } from '../db/queries/resolution.ts';
import { orderState } from '../db/steps/perform-step.ts';
import { DomainError } from '../domain/errors.ts';
import { decide } from '../domain/order-decision.ts';
import { type Resolution, resolutionOf } from './commands.ts';

/** What ending a dispute like this would post to the ledger; refused as the real thing would be. Changes nothing. */
export async function rehearseResolution(
  db: Database,
  order: Order,
  resolution: Resolution,
): Promise<Posting[]> {
  const command = { trigger: 'resolve', ...resolutionOf(order, resolution) } as const;
  const decision = decide(orderState(order), command);
  if (decision.kind === 'refuse') throw new DomainError(decision.code);
  if (decision.kind === 'already') return postingsOf(db, order.id, order.version);
  const { postings, refusal } = await rehearse(db, decision.step, {
    orderId: order.id,
    version: order.version,
    requestId: randomUUID(),
    to: decision.to,
    deadline: null,
    actor: 'admin',
    command,
    reason: null,
  });
  if (refusal) throw new DomainError(refusal);
  return postings;
}
