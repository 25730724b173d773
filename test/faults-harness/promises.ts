import type { ReceivedWebhook } from '../../demo/webhook-receiver.ts';
import type { Breach } from '../../src/invariants/breach.ts';
import type { Saw, SawLog } from './caller.ts';
import type { Installation } from './installation.ts';

interface Event {
  order_id: number;
  seq: number;
  from_status: string | null;
  status: string;
  actor: string;
  cause: string;
  hash: string | null;
  /** Who has the order after it. */
  lp: string | null;
  created_at: Date;
}

/** Answers that no fault excuses: the contract has others for what may come about here. */
const NEVER = [401, 404, 429];
const isExcused = ({ status, body }: Saw): boolean =>
  status === null ||
  status === 503 ||
  (status < 500 && !NEVER.includes(status) && body !== null && typeof body === 'object');
const isGood = ({ status }: Saw): boolean => status !== null && status < 300;

/** "A 2xx is never undone, and a retry is always safe": what the callers saw, held against what is recorded. */
export async function brokenPromises(log: SawLog, { query, receiver }: Installation): Promise<Breach[]> {
  const events = await query<Event>(
    `select order_id::int, seq, from_status, status, actor, cause, created_at, snapshot ->> 'user_crypto_tx_hash' as hash,
       'lp:' || (snapshot ->> 'lp_id') as lp
     from order_event order by order_id, seq`,
  );
  const byOrder = Map.groupBy(events, ({ order_id }) => order_id);
  const of = (orderId: number | null) => byOrder.get(orderId ?? 0) ?? [];
  return [
    ...log
      .filter((saw) => !isExcused(saw))
      .map((saw) => breach('no call is answered like this', saw, 'an answer of the contract')),
    ...log
      .filter(isGood)
      .flatMap((saw) =>
        isInEvents(saw, of(saw.orderId)) ? [] : [breach('a 2xx is never undone', saw, 'an event')],
      ),
    ...log
      .filter((saw) => isRefusedRetry(saw, of(saw.orderId), log))
      .map((saw) => breach('a retry is answered as the first call was', saw, '200')),
    ...(await brokenKeys(log, query)),
    ...(await brokenMoney(log, query)),
    ...(await brokenWebhooks(receiver.received, query)),
  ];
}

const breach = (what: string, saw: Saw, expected: string): Breach => ({
  what,
  where: `${saw.trigger} of order ${saw.orderId ?? '-'} by ${saw.actor}, call ${saw.call} at ${saw.startedAt.toISOString()}`,
  expected,
  found: `answered ${saw.status} ${JSON.stringify(saw.body)?.slice(0, 200)}`,
});

/** Whether what a 2xx said is among the order's events. */
function isInEvents({ trigger, actor, detail, body }: Saw, events: Event[]): boolean {
  const own = (cause: string) => events.some((e) => e.cause === cause && e.actor === actor);
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
    default:
      return true;
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

type Query = Installation['query'];

/** Every answer to one key named one order, or withdrawal, that is there; and nothing was made without a key. */
async function brokenKeys(log: SawLog, query: Query): Promise<Breach[]> {
  const orders = await query<{ key: string; id: string; agent: string }>(
    `select k.key, o.id, o.agent_key_id as agent from orders o left join idempotency_key k on k.order_id = o.id`,
  );
  const withdrawals = await query<{ key: string; id: string }>(
    `select idempotency_key as key, id from collateral_withdrawal`,
  );
  const idsOf = (rows: { key: string; id: string }[]) =>
    new Map(rows.map(({ key, id }) => [key, Number(id)]));
  const [orderOf, withdrawalOf] = [idsOf(orders), idsOf(withdrawals)];
  const wrong = log.filter(isGood).flatMap((saw) => {
    const made = { pay: orderOf, withdraw: withdrawalOf }[saw.trigger as 'pay'];
    if (!made) return [];
    const said = saw.trigger === 'pay' ? saw.body.order_id : saw.body.id;
    const is = made.get(saw.detail ?? '');
    return is === said
      ? []
      : [breach('a key stands for one thing', saw, `${saw.detail} for ${is ?? 'nothing'}`)];
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

/** What LPs and admins were told of collateral. */
async function brokenMoney(log: SawLog, query: Query): Promise<Breach[]> {
  const states = new Map(
    (
      await query<{ name: string; status: string }>(
        `select 'deposit ' || id as name, status from collateral_deposit
         union all select 'withdrawal ' || id, status from collateral_withdrawal`,
      )
    ).map(({ name, status }) => [name, status]),
  );
  const told: Record<string, [string, string]> = {
    confirmDeposit: ['deposit', 'confirmed'],
    'withdrawal paid': ['withdrawal', 'paid'],
    'withdrawal reject': ['withdrawal', 'rejected'],
  };
  return log.filter(isGood).flatMap((saw) => {
    const [what, status] = told[saw.trigger] ?? [];
    if (!what || states.get(`${what} ${saw.detail}`) === status) return [];
    return [breach('a 2xx is never undone', saw, `${what} ${saw.detail} ${status}`)];
  });
}

/** Each webhook came with the same bytes, those of an order in its turn, and what counts as delivered was taken. */
async function brokenWebhooks(received: ReceivedWebhook[], query: Query): Promise<Breach[]> {
  const idOf = ({ headers }: ReceivedWebhook) => String(headers['webhook-id']);
  const deliveries = await query<{ id: string; order_id: number; seq: number; state: string }>(
    `select 'msg_' || id as id, order_id::int, seq, state from webhook_delivery`,
  );
  const seqOf = new Map(deliveries.map(({ id, seq }) => [id, seq]));
  const byId = Map.groupBy(received, idOf);
  const breaches: Breach[] = [];
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
  for (const { id, state, order_id, seq } of deliveries) {
    const taken = byId.get(id)?.some(({ answered }) => answered === 200) ?? false;
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
