/**
 * The steps of an order against a service with the limits of an installation. A step is repeated, as its answer asks, while no
 * worker carries it out in time: the service must answer within seconds, and a machine with many busy processes may need longer.
 * Each repeat is reported, so that a service that has become slow shows.
 */
import type { Answer } from '../../dev/http-client.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { repeatUnmoved } from '../../dev/repeat-unmoved.ts';
import * as actors from './actors.ts';
import { type Agent, statusOf } from './actors.ts';
import { retryWhile503 } from './retry-while-503.ts';

/** `again`: see `repeatUnmoved`. */
const repeated =
  <A extends unknown[]>(step: (...args: A) => Promise<Answer>, again = step) =>
  (...args: A): Promise<Answer> =>
    repeatUnmoved(
      () => step(...args),
      () => again(...args),
      () => void process.stderr.write(`a step was answered 503, and is repeated: ${step.name}\n`),
    );

/** A new order's id. A payment that is answered 503 has changed nothing, so it is repeated. */
export const newOrder = async (agent: Agent, changes: Record<string, unknown> = {}): Promise<number> =>
  (
    await expectStatus(
      201,
      retryWhile503(() => actors.pay(agent, changes)),
    )
  ).order_id;

export const claim = repeated(actors.claim);
export const fiatSent = repeated(actors.fiatSent);
export const confirm = repeated(actors.confirm);
/** Settles an order. A 409 counts as 200 if an earlier call without a response has completed the order. */
export async function settleAgain(agent: Agent, orderId: number, tx_hash: string): Promise<Answer> {
  const answer = await actors.settle(agent, orderId, tx_hash);
  const isDone = answer.status === 409 && (await statusOf(agent, orderId)) === 'completed';
  return isDone ? { ...answer, status: 200 } : answer;
}
export const settle = repeated(actors.settle, settleAgain);
export const cancel = repeated(actors.cancel);
export const release = repeated(actors.release);
export const dispute = repeated(actors.dispute);
export const disputeByLp = repeated(actors.disputeByLp);
export const adminDoes = repeated(actors.adminDoes);

/** An order that has been claimed, paid out and confirmed. */
export const confirmedOrder = actors.confirmsOrders({ newOrder, claim, fiatSent, confirm });
