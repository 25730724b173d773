import { pausesOf, pausesToObey, paymentOf } from '../../db/pauses.ts';
import { agentKeyIsValid } from '../../db/revoked-agent.ts';
import { autoClaimTakes, isCoolingDown } from '../../market/lps/may-claim.ts';
import { requiredCollateral } from '../../market/lps/required-collateral.ts';
import { isOfCorridor, servesOrder } from '../../market/lps/serves-order.ts';
import { expectTrigger, type Step } from './shared/step.ts';

/**
 * An LP takes the order: Corridor locks the LP's collateral for it, reserves the fiat if the LP's terms have a float,
 * and shows the payer the LP's receive address. The command only names the LP. The statement computes from the rows
 * whether the LP may claim and what it locks.
 */
export const claim: Step = {
  set: {
    lp_id: 'lp.id',
    lp_receive_address: 'asset.address',
    destination_tag: 'asset.destination_tag',
    collateral_locked: requiredCollateral('orders.amount_usd', 'lp.tier'),
    float_reserved: 'case when term.float_available is not null then orders.amount_fiat end',
    claim_rate_usd: `(
      select priced.rate_usd from priced_term priced
      where priced.lp_id = term.lp_id and priced.currency = term.currency and priced.method = term.method
        and priced.rate_until > now()
    )`,
  },
  from: 'lp join receiving_asset asset on asset.lp_id = lp.id join lp_term term on term.lp_id = lp.id',
  where: [
    'lp.id = $lpId and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain',
    servesOrder('term', 'orders'),
    "lp.status = 'approved'",
    `not ${isCoolingDown('lp', '$strikeCoolDown')}`,
    `($cause <> 'auto-claim' or ${autoClaimTakes('lp', 'orders')})`,
    // After this time the API has already answered that the claim failed, so the claim must not lock collateral.
    'now() <= $validUntil::timestamptz',
    agentKeyIsValid('orders'),
    `not exists (${pausesToObey(paymentOf('orders'))})`,
    'require_room_to_claim(orders.agent_key_id, orders.amount_usd)',
  ],
  posting: { amounts: { lock: 'after.collateral_locked' } },
  parameters: (command, { strikeCoolDown }) => {
    const { lpId, validUntil } = expectTrigger(command, 'claim', 'autoClaim');
    return { lpId, validUntil, strikeCoolDown };
  },
};

/**
 * SQL: why the order, at the version that the claim expects, was not claimed. Null: nothing prevents the claim any
 * more.
 */
export const CLAIM_REFUSAL = `case
    when now() > $validUntil::timestamptz or not ${agentKeyIsValid('orders')} then 'order_not_claimable'
    when exists (${pausesOf(paymentOf('orders'))}) then 'paused'
    else (
      select case
        when lp.status <> 'approved' then 'lp_not_approved'
        when ${isCoolingDown('lp', '$strikeCoolDown')} then 'lp_cooling_down'
        when not exists (
          select from lp_asset asset
          where asset.lp_id = lp.id and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
        ) then 'no_receive_address'
        when not exists (select from lp_term term where term.lp_id = lp.id and ${isOfCorridor('term', 'orders')})
          then 'corridor_not_served'
        when not exists (select from lp_term term where term.lp_id = lp.id and ${servesOrder('term', 'orders')})
          then 'outside_terms'
        when $trigger = 'autoClaim' and not ${autoClaimTakes('lp', 'orders')} then 'order_not_claimable'
      end
      from lp where lp.id = $lpId::bigint
    )
  end`;
