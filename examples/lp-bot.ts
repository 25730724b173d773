/** A liquidity provider's bot: it claims orders by a rule of its own, and sends the fiat. See README.md in this folder. */
import { CorridorError, createLpClient, type Offer } from 'corridor-client';

const { CORRIDOR_URL, LP_KEY, MIN_PROFIT_USD = '0', MAX_COLLATERAL_USD = '100', CURRENCIES } = process.env;
if (!CORRIDOR_URL || !LP_KEY) throw new Error('Set CORRIDOR_URL and LP_KEY');

/** The bot's rule. Replace it with yours. */
const isWanted = (offer: Offer): boolean =>
  offer.est_profit_usd >= Number(MIN_PROFIT_USD) && offer.collateral_required <= Number(MAX_COLLATERAL_USD);

const lp = createLpClient({ baseUrl: CORRIDOR_URL, key: LP_KEY });
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

async function claim({ id, est_profit_usd }: Offer): Promise<void> {
  try {
    const { collateral_locked } = await lp.claim(id);
    console.log(`order ${id}: claimed, locks ${collateral_locked} USD, earns ${est_profit_usd} USD`);
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error;
    // Another LP was faster, the collateral is too small, or a cool-down runs. The bot waits for the next order.
    console.log(`order ${id}: ${error.message}`);
  }
}

/** Logs the order, so that a bot that claims nothing does not look like one that receives nothing. */
function logPassedOver({ id, est_profit_usd, collateral_required }: Offer): void {
  const earns = `earns ${est_profit_usd} USD (MIN_PROFIT_USD is ${MIN_PROFIT_USD})`;
  const locks = `locks ${collateral_required} USD (MAX_COLLATERAL_USD is ${MAX_COLLATERAL_USD})`;
  console.log(`order ${id}: passed over, ${earns} and ${locks}`);
}

interface ClaimedOrder {
  id: number;
  amount_fiat: number;
  currency: string;
  recipient?: string | null;
}

/** Orders whose fiat the bot is sending or has sent. */
const paying = new Set<number>();

/** Sends the fiat and reports it. Your payment system must refuse a second payment with the same order id. */
async function payOut({ id, amount_fiat, currency, recipient }: ClaimedOrder): Promise<void> {
  if (paying.has(id)) return;
  paying.add(id);
  try {
    console.log(`order ${id}: sending ${amount_fiat} ${currency} to ${recipient}`);
    await lp.fiatSent(id);
  } catch (error) {
    // The bot tries again when the feed reconnects or the bot restarts.
    paying.delete(id);
    console.error(`order ${id}: ${(error as Error).message}`);
  }
}

/** Pays the orders that were claimed before the feed started. */
async function payClaimedOrders(): Promise<void> {
  const { my_orders } = await lp.dashboard();
  for (const order of my_orders) if (order.owned && order.status === 'claimed') await payOut(order);
}

const events = lp.orderFeed({
  ...(CURRENCIES ? { currencies: CURRENCIES.split(',') } : {}),
  signal: stop.signal,
  onState: (state, why) => {
    console.log(`the feed is ${state}${why ? ` (${why.message})` : ''}`);
    if (state !== 'away') payClaimedOrders().catch((error) => console.error(error.message));
  },
});
for await (const event of events) {
  if (event.type === 'order.open' && isWanted(event.order)) await claim(event.order);
  else if (event.type === 'order.open') logPassedOver(event.order);
  if (event.type === 'order.updated') {
    console.log(`order ${event.order.id}: ${event.order.status}`);
    if (event.order.status === 'claimed') await payOut(event.order);
  }
}
console.log('stopped');
