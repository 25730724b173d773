/** A liquidity provider's bot: it publishes terms, claims orders by its own rule, and sends the fiat. See README.md. */
import { CorridorError, createLpClient, type Offer } from 'corridor-client';
import { openJournal } from './journal.ts';

const { CORRIDOR_URL, LP_KEY, MIN_PROFIT_USD = '0', MAX_COLLATERAL_USD = '100' } = process.env;
/** How long your payment may take. The bot does not pay an order that is due sooner. */
const PAYMENT_S = Number(process.env.PAYMENT_S ?? 60);
const REPORT_EVERY_MS = Number(process.env.REPORT_EVERY_S ?? 60) * 1_000;
if (!CORRIDOR_URL || !LP_KEY) throw new Error('Set CORRIDOR_URL and LP_KEY');
if (Number.isNaN(PAYMENT_S)) throw new Error('PAYMENT_S must be a number of seconds');
if (!(REPORT_EVERY_MS >= 1_000)) throw new Error('REPORT_EVERY_S must be a number of seconds');

/** The corridors that the bot serves. Replace them with your own prices and balances. */
const CORRIDORS = [
  { currency: 'KES', method: 'mobile_money', rate_usd: 131, min: 100, max: 50_000, float: 500_000 },
  { currency: 'KES', method: 'bank_transfer', rate_usd: 130.5, min: 1_000, max: 250_000, float: 2_000_000 },
];
/** Short, so that Corridor soon stops quoting a bot that has crashed. The bot renews its rates twice as often. */
const VALID_FOR_S = 600;

const lp = createLpClient({ baseUrl: CORRIDOR_URL, key: LP_KEY });
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

/** Publishes the terms. Sets a float only if there is none: afterwards claims reduce it, and your top-ups raise it. */
async function publishTerms(): Promise<void> {
  const { terms } = await lp.terms();
  for (const { float, ...corridor } of CORRIDORS) {
    const known = terms.find((own) => own.currency === corridor.currency && own.method === corridor.method);
    const first = known?.float == null ? { float, expected_float: null } : {};
    await lp.publishTerms({ ...corridor, ...first, valid_for: VALID_FOR_S, quoting: true });
  }
}

/** The bot's rule. Replace it with yours. Corridor offers only orders that the terms take. The profit is null without a rate that holds. */
const isWanted = ({ est_profit_usd: profit, collateral_required }: Offer): boolean =>
  profit !== null && profit >= Number(MIN_PROFIT_USD) && collateral_required <= Number(MAX_COLLATERAL_USD);

async function claim({ id, est_profit_usd }: Offer): Promise<void> {
  try {
    const { collateral_locked } = await lp.claim(id);
    console.log(`order ${id}: claimed, locks ${collateral_locked} USD, earns ${est_profit_usd} USD`);
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error;
    // Another LP was faster, the collateral or the float is too small, or a cool-down runs. The bot waits for the next
    // order.
    console.log(`order ${id}: ${error.message}`);
  }
}

/** Logs the order, so that a bot that claims nothing does not look like one that receives nothing. */
function logPassedOver({ id, est_profit_usd, collateral_required }: Offer): void {
  const earns = `earns ${est_profit_usd ?? 'unknown'} USD (MIN_PROFIT_USD is ${MIN_PROFIT_USD})`;
  const locks = `locks ${collateral_required} USD (MAX_COLLATERAL_USD is ${MAX_COLLATERAL_USD})`;
  console.log(`order ${id}: passed over, ${earns} and ${locks}`);
}

const { lp: me } = await lp.dashboard();
const journal = openJournal(`lp-${me.id}-payments.log`);

type Claimed = Pick<Offer, 'id' | 'amount_fiat' | 'currency'> & { recipient?: string | null };

/**
 * Replace this with a call to your payment system, which must refuse a second payment with the same order id. Returns the
 * payment's number there.
 */
async function sendFiat({ id, amount_fiat, currency, recipient }: Claimed): Promise<string> {
  console.log(`order ${id}: sending ${amount_fiat} ${currency} to ${recipient}`);
  return `example-${id}`;
}

/** Pays an order once, if it has time left, and reports the payment. */
async function payOnce(claimed: Claimed): Promise<void> {
  // The event may be old: by now the order may be disputed, frozen or another LP's.
  const { status, lp_id, timeout_at, created_at } = await lp.order(claimed.id);
  if (status !== 'claimed' || lp_id !== me.id || !claimed.recipient) return;
  // With the time, because a new sandbox counts its orders from 1 again.
  const payment = `${claimed.id} of ${created_at}`;
  if (!journal.has(payment)) {
    if (timeout_at === null) throw new Error('not paid, because it is frozen');
    if (Date.parse(timeout_at) - Date.now() < PAYMENT_S * 1_000)
      throw new Error(`not paid, because it is due at ${timeout_at}`);
  }
  await journal.payOnce(payment, () => sendFiat(claimed));
  await lp.fiatSent(claimed.id);
  console.log(`order ${claimed.id}: reported as paid`);
}

/** Another LP may pay the order now. For an hour the LP can send evidence; if the order has ended, ask the operator. */
function reportLost({ id, created_at }: Pick<Offer, 'id' | 'created_at'>): void {
  if (journal.has(`${id} of ${created_at}`))
    console.error(`order ${id}: paid, but lost. Upload a receipt and dispute it within an hour`);
}

/** The last payment. One follows the other, so that the feed and the dashboard do not pay an order at the same time. */
let last = Promise.resolve();
function payOut(order: Claimed): Promise<void> {
  // After an error the bot tries again each minute, when the order changes, the feed reconnects or the bot restarts.
  const log = (error: Error) => console.error(`order ${order.id}: ${error.message}`);
  last = last.then(() => payOnce(order)).catch(log);
  return last;
}

/** Pays the orders that were claimed before the feed started. */
async function payClaimedOrders(): Promise<void> {
  for await (const order of lp.orders({ status: 'claimed' })) if (order.owned) await payOut(order);
}

const report = (error: Error) => console.error(error.message);
await publishTerms();
setInterval(() => {
  for (const { currency, method, rate_usd } of CORRIDORS)
    lp.publishTerms({ currency, method, rate_usd, valid_for: VALID_FOR_S }).catch(report);
}, VALID_FOR_S * 500).unref();
// A report of a payment may have failed, and nothing else of the order has changed.
setInterval(() => payClaimedOrders().catch(report), REPORT_EVERY_MS).unref();
const onState = (state: string, why?: Error) => {
  console.log(`the feed is ${state}${why ? ` (${why.message})` : ''}`);
  if (state !== 'away') payClaimedOrders().catch(report);
};
for await (const event of lp.orderFeed({ signal: stop.signal, onState })) {
  if (event.type === 'order.open' && isWanted(event.order)) await claim(event.order);
  else if (event.type === 'order.open') logPassedOver(event.order);
  if (event.type === 'order.updated') {
    console.log(`order ${event.order.id}: ${event.order.status}`);
    if (event.order.status === 'claimed') await payOut(event.order);
    if (['matched', 'cancelled'].includes(event.order.status)) reportLost(event.order);
  }
}
for (const currency of new Set(CORRIDORS.map((corridor) => corridor.currency)))
  await lp.publishTerms({ currency, quoting: false }).catch(report);
console.log('stopped');
