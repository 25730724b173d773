import { REQUIRED_BY_CLAIM } from '../../market/lps/may-claim.ts';
import { requiredCollateral } from '../../market/lps/required-collateral.ts';
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
    'lp.id = $lpId',
    ...REQUIRED_BY_CLAIM,
    // Fails, so that the refusal says why.
    'require_room_to_claim(orders.agent_key_id, orders.amount_usd)',
  ],
  posting: { amounts: { lock: 'after.collateral_locked' } },
  parameters: (command, { strikeCoolDown }) => {
    const { lpId, validUntil } = expectTrigger(command, 'claim', 'autoClaim');
    return { lpId, validUntil, strikeCoolDown };
  },
};
