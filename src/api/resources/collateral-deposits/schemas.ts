import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL } from '../../../domain/assets.ts';
import { chain, describeField, stablecoin, txHash, usdAmount } from '../../schemas/request-fields.ts';
import { id, usdMoney } from '../../schemas/response-fields.ts';

/** Contract: "POST /api/lp/{lp_key}/collateral/deposit". Collateral is kept in USD, so only dollar tokens are accepted. */
export const depositRequest = z
  .object({
    amount: describeField(usdAmount, 'The collateral to deposit.'),
    asset: describeField(stablecoin, `The token of the deposit. Default: \`${DEFAULT_SYMBOL}\`.`).default(
      DEFAULT_SYMBOL,
    ),
    chain: describeField(chain, `The chain of the deposit. Default: \`${DEFAULT_CHAIN}\`.`).default(
      DEFAULT_CHAIN,
    ),
    tx_hash: describeField(
      txHash,
      'The transaction that pays the deposit, when it has been sent already.',
    ).optional(),
  })
  .meta({ examples: [{ amount: 500, asset: 'usdt' }] });

export const depositResponse = z.strictObject({
  ok: z.literal(true),
  amount: usdMoney,
  asset: z.string(),
  deposit_id: id.describe('For the confirm path.'),
  pay_to: z.string().nullable().describe('Where to send the tokens; null on a simulated chain.'),
});
