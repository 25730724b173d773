/** A liquidity provider's bot: claims what fits its own rule, and sends the fiat. See README.md beside it. */
import { CorridorError, createLpClient, type Offer } from 'corridor-client';

const { CORRIDOR_URL, LP_KEY, MIN_PROFIT_USD = '0', MAX_COLLATERAL_USD = '100', CURRENCIES } = process.env;
if (!CORRIDOR_URL || !LP_KEY) throw new Error('CORRIDOR_URL and LP_KEY must be set');

/** The bot's own rule. Change it to yours. */
const fits = (offer: Offer): boolean =>
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
    // A lost race, too little collateral, a cool-down: there will be other orders.
    console.log(`order ${id}: ${error.message}`);
  }
}

/** Said, so that a bot that claims nothing is not taken for one that hears nothing. */
function passOver({ id, est_profit_usd, collateral_required }: Offer): void {
  console.log(
    `order ${id}: passed over, would lock ${collateral_required} USD and earn ${est_profit_usd} USD`,
  );
}

interface Debt {
  id: number;
  amount_fiat: number;
  currency: string;
  recipient?: string | null;
}

/** Orders whose fiat is on its way. */
const paying = new Set<number>();

/** Pays, and says so. Your payment system must know the order's id, and refuse it when it comes twice. */
async function payOut({ id, amount_fiat, currency, recipient }: Debt): Promise<void> {
  if (paying.has(id)) return;
  paying.add(id);
  try {
    console.log(`order ${id}: sending ${amount_fiat} ${currency} to ${recipient}`);
    await lp.fiatSent(id);
  } catch (error) {
    // It is tried again when the feed comes back, or the bot.
    paying.delete(id);
    console.error(`order ${id}: ${(error as Error).message}`);
  }
}

/** What was claimed and not paid before the feed began. */
async function payDebts(): Promise<void> {
  const { my_orders } = await lp.dashboard();
  for (const order of my_orders) if (order.owned && order.status === 'claimed') await payOut(order);
}

const events = lp.orderFeed({
  ...(CURRENCIES ? { currencies: CURRENCIES.split(',') } : {}),
  signal: stop.signal,
  onState: (state, why) => {
    console.log(`the feed is ${state}${why ? ` (${why.message})` : ''}`);
    if (state !== 'away') payDebts().catch((error) => console.error(error.message));
  },
});
for await (const event of events) {
  if (event.type === 'order.open' && fits(event.order)) await claim(event.order);
  else if (event.type === 'order.open') passOver(event.order);
  if (event.type === 'order.updated') {
    console.log(`order ${event.order.id}: ${event.order.status}`);
    if (event.order.status === 'claimed') await payOut(event.order);
  }
}
console.log('stopped');
