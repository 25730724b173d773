import type { ReceivedWebhook } from '../../dev/webhook-receiver.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import type { Saw, SawLog } from './caller.ts';
import type { RecordedEvent as Event, Recorded, RecordedDelivery } from './recorded.ts';

/** Answers that no fault excuses: the contract has others for what may come about here. */
const NEVER = [401, 404, 429];
const isExcused = ({ status, body }: Saw): boolean =>
  status === null ||
  status === 503 ||
  (status < 500 && !NEVER.includes(status) && body !== null && typeof body === 'object');
const isGood = ({ status }: Saw): boolean => status !== null && status < 300;

/** "A 2xx is never undone, and a retry is always safe": what the callers saw, held against what is recorded. */
export function brokenPromises(log: SawLog, recorded: Recorded): Finding[] {
  const byOrder = Map.groupBy(recorded.events, ({ order_id }) => order_id);
  const of = ({ orderId }: Saw) => byOrder.get(orderId ?? 0) ?? [];
  return [
    ...log
      .filter((saw) => !isExcused(saw))
      .map((saw) => breach('no call is answered like this', saw, 'an answer of the contract')),
    ...log
      .filter((saw) => isGood(saw) && !isKept(saw, of(saw), recorded))
      .map((saw) => breach('a 2xx is never undone', saw, 'what it said')),
    ...log
      .filter((saw) => isRefusedRetry(saw, of(saw), log))
      .map((saw) => breach('a retry is answered as the first call was', saw, '200')),
    ...brokenKeys(log, recorded),
    ...brokenWebhooks(recorded),
  ];
}

const breach = (what: string, saw: Saw, expected: string): Finding => ({
  what,
  where: `${saw.trigger} of order ${saw.orderId ?? '-'} by ${saw.actor}, call ${saw.call} at ${saw.startedAt.toISOString()}`,
  expected,
  found: `answered ${saw.status} ${JSON.stringify(saw.body)?.slice(0, 200)}`,
});

/** Whether what a 2xx said is recorded. Throws where nobody knows what it says, so that no answer goes unchecked. */
function isKept(saw: Saw, events: Event[], { deposits, withdrawals, deliveries }: Recorded): boolean {
  const { trigger, actor, detail, body, startedAt } = saw;
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
      // Taken from it by the deadline, a moment before: it has what it wanted.
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
      throw new Error(`nobody knows what a 2xx to ${trigger} promises`);
  }
}

const isTakenByDeadline = ({ cause, from_status }: Event): boolean =>
  cause === 'deadline' && from_status === 'claimed';

/** Refused, though it had been carried out before it was asked again and nothing has happened since. */
function isRefusedRetry(saw: Saw, events: Event[], log: SawLog): boolean {
  if (saw.status === null || saw.status < 400 || saw.status === 503 || saw.orderId === null) return false;
  const before = events.filter((e) => e.created_at <= saw.startedAt && e.cause !== 'outage');
  const later = events.some((e) => e.created_at > saw.startedAt && e.created_at <= saw.endedAt);
  const last = before.at(-1);
  if (!last || later || last.cause !== saw.trigger || last.actor !== saw.actor) return false;
  // Another admin may have ended the dispute in another way.
  if (saw.trigger === 'resolve' && log.some((other) => isOtherCallFor(saw, other))) return false;
  return saw.trigger !== 'settle' || last.hash === saw.detail;
}

const isOtherCallFor = (saw: Saw, other: Saw): boolean =>
  other.call !== saw.call && other.orderId === saw.orderId && other.trigger === saw.trigger;

/** Every answer to one key named one order, or withdrawal, that is there; and nothing was made without a key. */
function brokenKeys(log: SawLog, { orders, withdrawals }: Recorded): Finding[] {
  const made = { pay: orders, withdraw: withdrawals };
  const wrong = log.filter(isGood).flatMap((saw) => {
    const all = made[saw.trigger as keyof typeof made];
    if (!all) return [];
    const said = saw.trigger === 'pay' ? saw.body.order_id : saw.body.id;
    const is = all.filter(({ key }) => key === saw.detail).map(({ id }) => id);
    return is.length === 1 && is[0] === said
      ? []
      : [breach('a key stands for one thing', saw, `${saw.detail} for ${is.join(', ') || 'nothing'}`)];
  });
  const nameless = orders.filter(({ key }) => key === null);
  return [
    ...wrong,
    ...nameless.map(({ id }) => ({
      ...{ what: 'an order was made by one request', where: `order ${id}` },
      ...{ expected: 'an idempotency key', found: 'none' },
    })),
  ];
}

/** Each webhook came with the same bytes, those of an order in its turn, and what counts as delivered was taken. */
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
        what: "an order's webhooks come in their order",
        where: `order ${orderId}`,
        expected: 'rising numbers',
        found: seqs.join(', '),
      });
  }
  for (const delivery of deliveries) {
    const { state, order_id, seq } = delivery;
    const taken = byId.get(named(delivery))?.some(({ answered }) => answered === 200) ?? false;
    if (state === 'delivered' && !taken)
      breaches.push({
        what: 'a delivered webhook was received',
        where: `order ${order_id}, webhook ${seq}`,
        expected: 'a receipt',
        found: 'none',
      });
  }
  return breaches;
}
