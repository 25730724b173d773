import { pausesOf, paymentOf } from '../../db/pauses.ts';
import { agentKeyIsValid } from '../../db/revoked-agent.ts';
import { isCoolingDown } from './cool-down.ts';
import { requiredCollateral } from './required-collateral.ts';
import { isOfCorridor, isOfferedUnder } from './serves-order.ts';

/**
 * SQL: whether the expired order `o` counts against the LP that it was quoted from: the LP could have claimed it at its end,
 * as the step of a claim requires. The LP's own changes since the order was created do not excuse it. Otherwise it could limit
 * its terms or withdraw its collateral just before the end. Other orders that it has claimed do excuse it, because they
 * lock its collateral and reserve its float.
 * `o`: the order's row. `lpId`: an expression. `coolDownMs`: the parameter with the first cool-down.
 */
export const answersForQuote = (o: string, lpId: string, coolDownMs: string): string => `exists (
        select from lp
        join lp_collateral collateral on collateral.lp_id = lp.id
        join lp_asset asset on asset.lp_id = lp.id and asset.symbol = ${o}.crypto_symbol and asset.chain = ${o}.crypto_chain
        join lp_term term on term.lp_id = lp.id and ${isOfCorridor('term', o)}
        join agent_key agent on agent.id = ${o}.agent_key_id
        where lp.id = ${lpId} and lp.status = 'approved' and not ${isCoolingDown('lp', coolDownMs)}
          and (term.narrowed_at >= ${o}.created_at or (${isOfferedUnder('term', o)}))
          and collateral.available + (
            select coalesce(sum(amount), 0) from collateral_withdrawal
            where lp_id = lp.id and status <> 'rejected' and created_at >= ${o}.created_at
          ) >= ${requiredCollateral(`${o}.amount_usd`, 'lp.tier')}
          and (agent.max_exposure_usd = 0 or agent.max_exposure_usd >= ${o}.amount_usd + (
            select coalesce(sum(amount_usd), 0) from orders
            where agent_key_id = agent.id and status not in ('matched', 'completed', 'cancelled')
          ))
          and not exists (${pausesOf(paymentOf(o))}) and ${agentKeyIsValid(o)}
      )`;
