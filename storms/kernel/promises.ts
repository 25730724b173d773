import type { ReceivedWebhook } from '../../dev/webhook-receiver.ts';
import type { Finding } from '../../src/operations/diagnosis/finding.ts';
import type { CallAttempt, CallLog } from './caller.ts';
import type { RecordedEvent as Event, Recorded, RecordedDelivery } from './recorded.ts';

/** Statuses that no fault explains: none of the calls here can cause them. */
const NEVER = [401, 404, 429];
const isExpected = ({ status, body }: CallAttempt): boolean =>
  status === null ||
  status === 503 ||
  (status < 500 && !NEVER.includes(status) && body !== null && typeof body === 'object');
const isSuccess = ({ status }: CallAttempt): boolean => status !== null && status < 300;

/** Compares the callers' log with the recorded data: "A 2xx is never undone, and a retry is always safe". */
export function brokenPromises(log: CallLog, recorded: Recorded): Finding[] {
  const byOrder = Map.groupBy(recorded.events, ({ order_id }) => order_id);
  const eventsOf = ({ orderId }: CallAttempt) => byOrder.get(orderId ?? 0) ?? [];
  return [
    ...log
      .filter((attempt) => !isExpected(attempt))
      .map((attempt) => breach('a response is one of the contract', attempt, 'a response of the contract')),
    ...log
      .filter((attempt) => isSuccess(attempt) && !isKept(attempt, eventsOf(attempt), recorded))
      .map((attempt) => breach('a 2xx is never undone', attempt, 'what the response promised')),
    ...log
      .filter((attempt) => isRefusedRetry(attempt, eventsOf(attempt), log))
      .map((attempt) => breach('a retry gets the same response as the first call', attempt, '200')),
    ...brokenKeys(log, recorded),
    ...brokenWebhooks(recorded),
  ];
}

function breach(what: string, attempt: CallAttempt, expected: string): Finding {
  const { trigger, orderId, actor, call, startedAt, status, body } = attempt;
  return {
    what,
    where: `${trigger} of order ${orderId ?? '-'} by ${actor}, call ${call} at ${startedAt.toISOString()}`,
    expected,
    found: `the response ${status} ${JSON.stringify(body)?.slice(0, 200)}`,
  };
}

/** Whether the promise of a 2xx is recorded. Throws for an unknown trigger, so that every response is checked. */
function isKept(
  attempt: CallAttempt,
  events: Event[],
  { deposits, withdrawals, deliveries }: Recorded,
): boolean {
  const { trigger, actor, detail, body, startedAt } = attempt;
  const own = (cause: string) => events.some((e) => e.cause === cause && e.actor === actor);
  const isNow = (all: { id: number; status: string }[], status: string) =>
    all.some((one) => String(one.id) === detail && one.status === status);
  switch (trigger) {
    case 'claim':
      return events.some((e) => ['claim', 'auto-claim'].includes(e.cause) && e.actor === actor);
    case 'settle':
      return events.some((e) => e.cause === 'settle' && e.actor === actor && e.hash === detail);
    case 'cancel':
      return events.at(-1)?.status === 'cancelled';
    case 'dispute':
      return events.some((e) => e.status === 'disputed');
    case 'release':
      // The deadline may have taken the order just before. The LP then has what it asked for.
      return own('release') || events.some((e, i) => isTakenByDeadline(e) && events[i - 1]?.lp === actor);
    case 'resolve':
      return events.at(-1)?.status === detail && own('resolve') && body.status === detail;
    case 'fiatSent':
    case 'confirm':
    case 'freeze':
    case 'unfreeze':
    case 'retryVerification':
      return own(trigger);
    case 'redeliver':
      return deliveries.some(
        ({ id, last_attempt_at }) => String(id) === detail && last_attempt_at && last_attempt_at >= startedAt,
      );
    case 'deposit':
      return deposits.some(({ id }) => id === body.deposit_id);
    case 'confirmDeposit':
      return isNow(deposits, 'confirmed');
    case 'withdrawal paid':
      return isNow(withdrawals, 'paid');
    case 'withdrawal reject':
      return isNow(withdrawals, 'rejected');
    // Keys identify what these calls created. Reads and sandbox calls promise nothing.
    case 'pay':
    case 'withdraw':
    case 'deliveries':
    case 'transaction':
      return true;
    default:
      throw new Error(`The harness does not know what a 2xx to ${trigger} promises`);
  }
}

const isTakenByDeadline = ({ cause, from_status }: Event): boolean =>
  cause === 'deadline' && from_status === 'claimed';

/** Whether the call was refused although an earlier call had been carried out and nothing has happened since. */
function isRefusedRetry(attempt: CallAttempt, events: Event[], log: CallLog): boolean {
  const { status, orderId, trigger, actor, startedAt, endedAt, detail } = attempt;
  if (status === null || status < 400 || status === 503 || orderId === null) return false;
  const before = events.filter((e) => e.created_at <= startedAt && e.cause !== 'outage');
  const later = events.some((e) => e.created_at > startedAt && e.created_at <= endedAt);
  const last = before.at(-1);
  if (!last || later || last.cause !== trigger || last.actor !== actor) return false;
  // Another admin may have ended the dispute differently.
  if (trigger === 'resolve' && log.some((other) => isOtherCallFor(attempt, other))) return false;
  return trigger !== 'settle' || last.hash === detail;
}

const isOtherCallFor = (attempt: CallAttempt, other: CallAttempt): boolean =>
  other.call !== attempt.call && other.orderId === attempt.orderId && other.trigger === attempt.trigger;

/** Every response to a key named the same existing order or withdrawal, and nothing was created without a key. */
function brokenKeys(log: CallLog, { orders, withdrawals }: Recorded): Finding[] {
  const created = { pay: orders, withdraw: withdrawals };
  const wrong = log.filter(isSuccess).flatMap((attempt) => {
    const all = created[attempt.trigger as keyof typeof created];
    if (!all) return [];
    const named = attempt.trigger === 'pay' ? attempt.body.order_id : attempt.body.id;
    const ids = all.filter(({ key }) => key === attempt.detail).map(({ id }) => id);
    return ids.length === 1 && ids[0] === named
      ? []
      : [breach('a key creates one thing', attempt, `${attempt.detail} for ${ids.join(', ') || 'nothing'}`)];
  });
  const withoutKey = orders.filter(({ key }) => key === null);
  return [
    ...wrong,
    ...withoutKey.map(({ id }) => ({
      ...{ what: 'an order was created by one request', where: `order ${id}` },
      ...{ expected: 'an idempotency key', found: 'none' },
    })),
  ];
}

/** Each webhook always has the same bytes, an order's webhooks arrive in order, and delivered webhooks were received. */
function brokenWebhooks({ received, deliveries }: Recorded): Finding[] {
  const idOf = ({ headers }: ReceivedWebhook) => String(headers['webhook-id']);
  const named = ({ id }: RecordedDelivery) => `msg_${id}`;
  const seqOf = new Map(deliveries.map((delivery) => [named(delivery), delivery.seq]));
  const byId = Map.groupBy(received, idOf);
  const breaches: Finding[] = [];
  for (const [id, all] of byId) {
    const texts = new Set(all.map(({ raw }) => raw));
    if (texts.size > 1)
      breaches.push({
        what: 'a webhook always has the same bytes',
        where: id,
        expected: '1',
        found: `${texts.size}`,
      });
    if (!all.every(({ signatureIsValid }) => signatureIsValid))
      breaches.push({ what: 'a webhook is signed', where: id, expected: 'a signature', found: 'another' });
  }
  const firsts = Map.groupBy(
    [...byId.values()].map(([first]) => first as ReceivedWebhook),
    ({ body }) => body.order_id,
  );
  for (const [orderId, own] of firsts) {
    const seqs = own.map((webhook) => seqOf.get(idOf(webhook)) ?? 0);
    if (seqs.some((seq, i) => i > 0 && seq < (seqs[i - 1] ?? 0)))
      breaches.push({
        what: "an order's webhooks arrive in order",
        where: `order ${orderId}`,
        expected: 'rising numbers',
        found: seqs.join(', '),
      });
  }
  for (const delivery of deliveries) {
    const { state, order_id, seq } = delivery;
    const isReceived = byId.get(named(delivery))?.some(({ answered }) => answered === 200) ?? false;
    if (state === 'delivered' && !isReceived)
      breaches.push({
        what: 'a delivered webhook was received',
        where: `order ${order_id}, webhook ${seq}`,
        expected: 'a 200 from the receiver',
        found: 'none',
      });
  }
  return breaches;
}
