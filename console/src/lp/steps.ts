import { ApiError } from '../api.ts';
import { now } from '../clock.ts';
import { money, timeOfDay, usd } from '../format.ts';
import { ask, lpPath } from '../session.ts';
import { wordsFor } from '../ui/form.tsx';
import { toast } from '../ui/toasts.tsx';
import { asClaimed, believe, forget } from './beliefs.ts';
import type { Desk } from './desk.ts';
import { bestInReach, without } from './offers.ts';
import type { Claimed, Dashboard, Offer, OwnOrder, PublicOrder } from './shapes.ts';

/** What an LP does to orders. Each is shown at once, and taken back in the service's words when it is refused. */

const MAX_RECEIPT_BYTES = 12 * 1024 * 1024;

/** When the fiat of an order is due that is claimed now, in milliseconds. */
export const fiatDueAt = ({ fiat_within_seconds }: Pick<Dashboard['lp'], 'fiat_within_seconds'>): number =>
  now.value + fiat_within_seconds * 1_000;

/** What a claim means, before it is made. */
export const termsOf = (offer: Offer, dueAt: number): string =>
  `locks ${usd(offer.collateral_required)}, ${profitOf(offer)}, due by ${timeOfDay(dueAt)}`;

const profitOf = ({ est_profit_usd: profit }: Offer): string =>
  profit < 0 ? `loses ${usd(-profit)}` : `earns ${usd(profit)}`;

export async function claim(desk: Desk, offer: Offer): Promise<void> {
  const lp = desk.dashboard.data.value?.lp;
  if (!lp) return;
  const { id } = offer;
  desk.beliefs.value = believe(desk.beliefs.value, asClaimed(offer, fiatDueAt(lp)));
  try {
    const { collateral_locked } = await ask<Claimed>('POST', `/api/orders/${id}/claim`, { body: {} });
    toast({ tone: 'good', text: `Order ${id} is yours: ${usd(collateral_locked)} are locked for it.` });
    desk.offers.value = without(desk.offers.value, id);
    await settle(desk, id);
  } catch (error) {
    const isLost = error instanceof ApiError && error.code === 'order_not_claimable';
    if (isLost) desk.offers.value = without(desk.offers.value, id);
    const takenBack = takeBack(desk, id);
    if (isLost) offerNextBest(desk, `Order ${id}: ${wordsFor(error)}. ${await whyLost(desk, id)}`);
    else toast({ tone: 'bad', text: `Order ${id}: ${wordsFor(error)}` });
    await takenBack;
  }
}

/** Who was faster, or what else has become of the order. */
async function whyLost(desk: Desk, id: number): Promise<string> {
  try {
    const { status, lp_id } = await ask<PublicOrder>('GET', `/api/orders/${id}`);
    const own = desk.dashboard.data.value?.lp.id;
    if (status === 'cancelled') return 'It has been cancelled.';
    return status === 'matched' || lp_id === own ? '' : 'Another LP was faster.';
  } catch {
    // Only a word more to what has been said already.
    return '';
  }
}

function offerNextBest(desk: Desk, text: string): void {
  const means = { available: desk.available.value, now: now.value };
  const next = bestInReach(desk.market.value, means);
  const lp = desk.dashboard.data.value?.lp;
  if (!next || !lp) {
    toast({ tone: 'bad', text });
    return;
  }
  const terms = termsOf(next, fiatDueAt(lp));
  toast({
    tone: 'bad',
    text: `${text} Next best: order ${next.id}, ${money(next.amount_fiat, next.currency)}, ${terms}.`,
    action: { label: `Claim order ${next.id}`, run: () => void claim(desk, next) },
  });
}

export const fiatSent = (desk: Desk, order: OwnOrder): Promise<void> =>
  step(desk, { ...order, status: 'fiat_sent' }, 'fiat-sent', {});

/** Without a reason of its own it has the service's. */
export const release = (desk: Desk, order: OwnOrder, reason: string): Promise<void> =>
  step(desk, { ...order, status: 'matched', owned: false }, 'release', reason ? { reason } : {});

const NO_CONFIRMATION = 'The fiat has been sent, and is not confirmed';

export const dispute = (desk: Desk, order: OwnOrder, reason: string): Promise<void> =>
  step(desk, { ...order, status: 'disputed' }, 'dispute', { reason: reason || NO_CONFIRMATION });

async function step(desk: Desk, believed: OwnOrder, verb: string, body: object): Promise<void> {
  const { id } = believed;
  desk.beliefs.value = believe(desk.beliefs.value, believed);
  try {
    await ask('POST', `/api/orders/${id}/${verb}`, { body });
    await settle(desk, id);
  } catch (error) {
    toast({ tone: 'bad', text: `Order ${id}: ${wordsFor(error)}` });
    await takeBack(desk, id);
  }
}

/** The service has said so itself: what was believed gives way to what is read from now on. */
async function settle(desk: Desk, id: number): Promise<void> {
  desk.answered.add(id);
  await desk.dashboard.reload();
}

/** It was refused: all is as it was before, or as others have made it since. */
async function takeBack(desk: Desk, id: number): Promise<void> {
  desk.beliefs.value = forget(desk.beliefs.value, id);
  await desk.dashboard.reload();
}

/** Gives whether the service has taken it. */
export async function uploadReceipt(desk: Desk, order: OwnOrder, file: File): Promise<boolean> {
  const tooLarge = file.size > MAX_RECEIPT_BYTES;
  try {
    if (tooLarge) throw new Error('A receipt may have 12 MB at most');
    const body = new FormData();
    body.set('order_id', String(order.id));
    body.set('file', file);
    await ask('POST', lpPath(desk.key, '/receipt'), { body });
    toast({ tone: 'good', text: `The receipt is with order ${order.id}.` });
    return true;
  } catch (error) {
    toast({ tone: 'bad', text: `Order ${order.id}: ${wordsFor(error)}` });
    return false;
  }
}
