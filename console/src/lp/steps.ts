import { ApiError } from '../api.ts';
import { now } from '../clock.ts';
import { formatMoney, formatTimeOfDay, formatUsd } from '../format.ts';
import { callApi, lpPath } from '../session.ts';
import { describeError } from '../ui/form.tsx';
import { dismissAbout, toast } from '../ui/toasts.tsx';
import type { Desk } from './desk.ts';
import { findBestClaimable, removeOffer } from './offers.ts';
import { addOptimistic, buildClaimedOrder, removeOptimistic } from './optimistic-orders.ts';
import type { Claimed, Dashboard, Offer, OwnOrder, PublicOrder } from './shapes.ts';

/**
 * The steps of an LP. The page shows each step immediately. If the service refuses it, the page reverts it and shows
 * the service's message.
 */

const MAX_RECEIPT_BYTES = 12 * 1024 * 1024;

/** Returns when the fiat is due for an order that is claimed now, in milliseconds. */
export const computeFiatDueAt = ({
  fiat_within_seconds,
}: Pick<Dashboard['lp'], 'fiat_within_seconds'>): number => now.value + fiat_within_seconds * 1_000;

/** What the messages of an order's steps are about. */
const aboutOrder = (id: number): string => `order ${id}`;

/** Describes the terms of a claim before the LP makes it. */
export const describeTerms = (offer: Offer, dueAt: number): string =>
  `${describeStake(offer)}, ${describeDue(dueAt)}`;

/** The collateral and the profit of a claim. */
export const describeStake = (offer: Offer): string =>
  `locks ${formatUsd(offer.collateral_required)}, ${describeProfit(offer)}`;

/** When the LP has to send the fiat of a claim. `at`: in milliseconds. */
export const describeDue = (at: number): string => `due by ${formatTimeOfDay(at)}`;

const describeProfit = ({ est_profit_usd: profit }: Offer): string =>
  profit === null
    ? 'profit unknown, because you have no rate here that holds now'
    : profit < 0
      ? `loses ${formatUsd(-profit)}`
      : `earns ${formatUsd(profit)}`;

export async function claim(desk: Desk, offer: Offer): Promise<void> {
  const lp = desk.dashboard.data.value?.lp;
  if (!lp) return;
  const { id } = offer;
  desk.optimistic.value = addOptimistic(
    desk.optimistic.value,
    buildClaimedOrder(offer, computeFiatDueAt(lp)),
  );
  try {
    const { collateral_locked } = await callApi<Claimed>('POST', `/api/orders/${id}/claim`, { body: {} });
    const locked = formatUsd(collateral_locked);
    toast({
      tone: 'good',
      text: `Order ${id} is yours. ${locked} of your collateral is locked for it.`,
      about: aboutOrder(id),
    });
    desk.offers.value = removeOffer(desk.offers.value, id);
    await acceptStep(desk, id);
  } catch (error) {
    const isLost = error instanceof ApiError && error.code === 'order_not_claimable';
    if (isLost) desk.offers.value = removeOffer(desk.offers.value, id);
    const reverting = revertStep(desk, id);
    const text = `Order ${id}: ${describeError(error)}`;
    if (isLost) suggestNextBest(desk, `${text}. ${await explainLostClaim(desk, id)}`);
    else toast({ tone: 'bad', text, about: aboutOrder(id) });
    await reverting;
  }
}

async function explainLostClaim(desk: Desk, id: number): Promise<string> {
  try {
    const { status, lp_id } = await callApi<PublicOrder>('GET', `/api/orders/${id}`);
    const ownId = desk.dashboard.data.value?.lp.id;
    if (status === 'cancelled') return 'It has been cancelled.';
    return status === 'matched' || lp_id === ownId ? '' : 'Another LP was faster.';
  } catch {
    // The page shows the refusal anyway; this only explains it.
    return '';
  }
}

function suggestNextBest(desk: Desk, text: string): void {
  const limits = { available: desk.available.value, now: now.value };
  const next = findBestClaimable(desk.market.value, limits);
  const lp = desk.dashboard.data.value?.lp;
  if (!next || !lp) {
    toast({ tone: 'bad', text });
    return;
  }
  const terms = describeTerms(next, computeFiatDueAt(lp));
  const amount = formatMoney(next.amount_fiat, next.currency);
  toast({
    tone: 'bad',
    text: `${text} Next best: order ${next.id}, ${amount}, ${terms}.`,
    action: { label: `Claim order ${next.id}`, run: () => void claim(desk, next) },
  });
}

export const reportFiatSent = (desk: Desk, order: OwnOrder): Promise<void> =>
  runStep(desk, { ...order, status: 'fiat_sent' }, 'fiat-sent', {});

/** Without a reason the service records its own. */
export const release = (desk: Desk, order: OwnOrder, reason: string): Promise<void> =>
  runStep(desk, { ...order, status: 'matched', owned: false }, 'release', reason ? { reason } : {});

const DEFAULT_DISPUTE_REASON = 'The LP has sent the fiat, and the agent has not confirmed it';

export const dispute = (desk: Desk, order: OwnOrder, reason: string): Promise<void> =>
  runStep(desk, { ...order, status: 'disputed' }, 'dispute', { reason: reason || DEFAULT_DISPUTE_REASON });

const DEFAULT_LOSS_REASON = 'The LP had sent the fiat before the deadline';

/** Stops an order that the LP has lost at its deadline, although it had paid. The order has another LP or none. */
export async function disputeLoss(desk: Desk, { id }: OwnOrder, reason: string): Promise<void> {
  const about = aboutOrder(id);
  try {
    await callApi('POST', `/api/orders/${id}/dispute`, { body: { reason: reason || DEFAULT_LOSS_REASON } });
    toast({ tone: 'good', text: `Order ${id} has stopped until an admin decides.`, about });
    await desk.dashboard.reload();
  } catch (error) {
    toast({ tone: 'bad', text: `Order ${id}: ${describeError(error)}`, about });
  }
}

async function runStep(desk: Desk, after: OwnOrder, verb: string, body: object): Promise<void> {
  const { id } = after;
  desk.optimistic.value = addOptimistic(desk.optimistic.value, after);
  try {
    await callApi('POST', `/api/orders/${id}/${verb}`, { body });
    dismissAbout(aboutOrder(id));
    await acceptStep(desk, id);
  } catch (error) {
    toast({ tone: 'bad', text: `Order ${id}: ${describeError(error)}`, about: aboutOrder(id) });
    await revertStep(desk, id);
  }
}

async function acceptStep(desk: Desk, id: number): Promise<void> {
  desk.accepted.add(id);
  await desk.dashboard.reload();
}

async function revertStep(desk: Desk, id: number): Promise<void> {
  desk.optimistic.value = removeOptimistic(desk.optimistic.value, id);
  await desk.dashboard.reload();
}

export async function uploadReceipt(order: OwnOrder, file: File): Promise<void> {
  const about = `the receipt of order ${order.id}`;
  try {
    if (file.size > MAX_RECEIPT_BYTES) throw new Error('A receipt can have at most 12 MB');
    const body = new FormData();
    body.set('order_id', String(order.id));
    body.set('file', file);
    await callApi('POST', lpPath('/receipt'), { body });
    toast({ tone: 'good', text: `The receipt for order ${order.id} is uploaded.`, about });
  } catch (error) {
    toast({ tone: 'bad', text: `Order ${order.id}: ${describeError(error)}`, about });
  }
}
