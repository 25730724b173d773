import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL } from '../../../domain/assets.ts';
import { chain, describeField, stablecoin, txHash, usdAmount } from '../../schemas/request-fields.ts';
import { chainName, cryptoMoney, destinationTag, id, time, usdMoney } from '../../schemas/response-fields.ts';

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
      'A transaction to confirm the deposit with, unless the confirmation names another. The exact amount is known only after the announcement, so omit this on a real chain.',
    ).optional(),
  })
  .meta({ examples: [{ amount: 500, asset: 'usdt' }] });

export const depositResponse = z.strictObject({
  ok: z.literal(true),
  amount: usdMoney.describe('In USD, as announced.'),
  asset: z.string(),
  deposit_id: id.describe('The id for the confirm path.'),
  pay_to: z
    .strictObject({
      chain: chainName,
      address: z.string(),
      amount: cryptoMoney.describe(
        'Send exactly this many tokens in one transfer. It is the announced amount plus less than a cent, and all of it is credited.',
      ),
      destination_tag: destinationTag.optional(),
    })
    .describe('The transfer that pays the deposit.'),
  expires_at: time.describe('Send the tokens and confirm the deposit before this time.'),
});

export const confirmDepositRequest = z
  .object({
    tx_hash: describeField(
      txHash,
      'The transaction that pays the deposit. Default: the one that the announcement named. If neither names one, Corridor searches the chain for a transfer of exactly the amount after the announcement. Required if the chain’s node cannot be searched. On a simulated chain, a confirmation without any transaction is credited.',
    ).optional(),
  })
  .meta({ examples: [{ tx_hash: 'sandbox-paid-deposit' }] });
