import { STATUS_FACTS } from '../../../src/domain/order-state.ts';
import { describeMethod } from '../delivery.ts';
import { formatCrypto, formatMoney, formatProfit, formatTime, formatUsd } from '../format.ts';
import { linkTo } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Facts } from '../ui/facts.tsx';
import { wordsFor } from '../words.ts';
import type { Desk } from './desk.ts';
import { isStopped } from './incidents.tsx';
import { OrderActions } from './order-actions.tsx';
import type { OwnOrder } from './shapes.ts';

/** One active order of the LP: its facts, its deadline, and the buttons for the next step. */
export function OrderCard({ desk, order }: { desk: Desk; order: OwnOrder }) {
  const { id, status } = order;
  return (
    <article class="sheet" aria-label={`Order ${id}`}>
      <div class="row apart">
        <h3>
          <a href={linkTo(`orders/${id}`)}>Order {id}</a> <Badge status={status} />
        </h3>
        {STATUS_FACTS[status].stage && (
          <Countdown until={order.timeout_at} isStopped={isStopped(desk, order)} />
        )}
      </div>
      <OrderFacts order={order} />
      <OrderActions desk={desk} order={order} />
    </article>
  );
}

export const OrderFacts = ({ order }: { order: OwnOrder }) => (
  <Facts
    lead
    facts={[
      ['You send', formatMoney(order.amount_fiat, order.currency)],
      ['To', order.owned ? describeRecipient(order) : null],
      ['Name check', order.owned ? describeCheck(order.recipient_check) : null],
      ['You get', formatCrypto(order.amount_crypto, order.crypto_symbol, order.crypto_chain)],
      ['Profit', formatProfit(order.est_profit_usd)],
      ['Locked collateral', order.collateral_locked === null ? null : formatUsd(order.collateral_locked)],
    ]}
  />
);

/** The recipient is unknown until the service has accepted the claim. */
function describeRecipient(order: OwnOrder): string {
  const { recipient, recipient_name, recipient_details } = order;
  if (recipient === null) return '…';
  const others = Object.entries(recipient_details ?? {}).filter(([, value]) => value !== recipient);
  return [
    recipient,
    recipient_name,
    describeMethod(order),
    ...others.map(([name, value]) => `${wordsFor(name)} ${value}`),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The agent's check of the account holder. The LP compares it with the name that its bank or network shows. */
function describeCheck(check: OwnOrder['recipient_check']): string | null {
  if (check === null) return null;
  return [CHECK_RESULTS[check.result], check.name_masked, formatTime(check.checked_at)]
    .filter(Boolean)
    .join(' · ');
}

const CHECK_RESULTS: Record<NonNullable<OwnOrder['recipient_check']>['result'], string> = {
  matched: 'the name matches',
  partial: 'the name matches partly',
  not_matched: 'the name does not match',
  unsupported: 'not possible here',
  unavailable: 'no answer',
};
