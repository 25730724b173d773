import { z } from 'zod';
import { DEFAULT_CHAIN, DEFAULT_SYMBOL } from '../../../domain/assets.ts';
import { delivered, recipient, withRecipient } from '../../schemas/delivered.ts';
import {
  chain,
  currency,
  describeField,
  fiatAmount,
  line,
  symbol,
  txHash,
} from '../../schemas/request-fields.ts';
import {
  boundRecipientCheck,
  chainName,
  cryptoMoney,
  fiatMoney,
  id,
  orderStatus,
  time,
  usdMoney,
} from '../../schemas/response-fields.ts';
import { webhookUrl } from '../../schemas/webhook-url.ts';

/** The fields that determine the price of a payout. */
const priced = {
  amount: describeField(fiatAmount, 'The fiat amount that the recipient receives.'),
  currency: describeField(currency, 'The fiat currency that the recipient receives.'),
  crypto_symbol: describeField(
    symbol,
    `The token with which the user pays. Default: \`${DEFAULT_SYMBOL}\`.`,
  ).default(DEFAULT_SYMBOL),
  crypto_chain: describeField(
    chain,
    `The chain on which the user pays. Default: \`${DEFAULT_CHAIN}\`.`,
  ).default(DEFAULT_CHAIN),
};

/** `POST /api/v1/rates`: quotes a payout and locks the quote. */
export const ratesRequest = z
  .object({ ...priced, ...delivered })
  .meta({ examples: [{ amount: 6475, currency: 'KES' }] });

/** Contract: "POST /api/v1/pay", body. Webhook URLs must use https unless `allowHttp` (development). */
export const payRequest = ({ allowHttp }: { allowHttp: boolean }) =>
  withRecipient(
    z.object({
      amount: priced.amount,
      currency: priced.currency,
      recipient,
      ...delivered,
      user_id: z
        .number()
        .int()
        .positive()
        .describe('The id of the user who pays, from `POST /api/admin/users`: a positive whole number.'),
      recipient_name: describeField(line(200), 'The name of the recipient, for the LP.').optional(),
      callback_url: webhookUrl({ allowHttp })
        .describe(
          `The URL that receives a webhook for each change of the order’s status: an ${allowHttp ? 'http or https' : 'https'} URL of at most 2,048 ASCII characters. Default: no webhooks.`,
        )
        .optional(),
      crypto_symbol: priced.crypto_symbol,
      crypto_chain: priced.crypto_chain,
      rate_lock_id: z
        .string()
        .max(64)
        .regex(/^[\x21-\x7e]+$/, 'must be the id of a lock')
        .optional()
        .describe(
          'The `rate_lock_id` from `POST /api/v1/rates` for the same amount, currency, method, symbol and chain, at most 64 characters. Default: the present rate.',
        ),
      recipient_check_id: z
        .string()
        .max(64)
        .regex(/^[\x21-\x7e]+$/, 'must be the id of a recipient check')
        .optional()
        .describe(
          'The `recipient_check_id` from `POST /api/v1/recipients/verify` for the same currency, method, institution and recipient, at most 64 characters. The LP that claims the order sees its result. Default: none.',
        ),
    }),
  ).meta({ examples: [{ amount: 6475, currency: 'KES', recipient: '+254700000001', user_id: 1 }] });

const quotingLp = z.strictObject({
  id,
  rate: z.number().positive().describe('Units of the currency per 1 USD.'),
});
const rateText = z.string().describe('For display, such as "1 USD = 129.5 KES".');

export const rateLockResponse = z.strictObject({
  rate_lock_id: z.string().describe('Usable for one payment, with the same agent key.'),
  rate: rateText,
  rate_usd: z.number().positive().describe('Units of the currency per 1 USD.'),
  crypto_amount: cryptoMoney,
  fee_usd: usdMoney,
  lp: quotingLp,
  expires_at: time,
});

/** Contract: "Creation response of a payment". */
export const paymentResponse = z.strictObject({
  payment_id: z.string(),
  order_id: id,
  status: z.literal('matched'),
  crypto_required: z.strictObject({ amount: cryptoMoney, symbol: z.string(), chain: chainName }),
  fiat_delivery: z.strictObject({
    amount: fiatMoney,
    currency: z.string(),
    recipient: z.string(),
    recipient_name: z.string().nullable(),
    method: z.string(),
    institution: z.string().optional().describe('Present if the request named it.'),
    recipient_details: z.record(z.string(), z.string()).optional().describe('Present if the request had it.'),
    recipient_check: boundRecipientCheck
      .optional()
      .describe('The check of the recipient, present if the request named one.'),
  }),
  rate: rateText,
  deposit_address: z
    .string()
    .nullable()
    .describe(
      'Null at creation, because any LP may claim the order. Pay to `lp_receive_address` of the claimed order, with its `destination_tag` if it has one.',
    ),
  lp: quotingLp,
  callback_url: z.string().nullable(),
  expires_at: time,
  track_url: z.string(),
});

/** Contract: "Idempotent replay". */
export const replayedPaymentResponse = paymentResponse.extend({ idempotent_replay: z.literal(true) });

/** Contract: "Status view of an order". */
export const statusResponse = z.strictObject({
  order_id: id,
  status: orderStatus,
  amount_fiat: fiatMoney,
  currency: z.string(),
  crypto_symbol: z.string(),
  crypto_amount: cryptoMoney,
  tx_hash: z.string().nullable(),
  created_at: time,
  completed_at: time.nullable(),
  recipient_check: boundRecipientCheck
    .optional()
    .describe('The check of the recipient, present if the payment named one.'),
});

export const confirmResponse = z.strictObject({ status: z.literal('confirmed') });

export const settleResponse = z.strictObject({
  status: z.literal('crypto_verify_pending'),
  message: z.string(),
  order_id: id,
});

/** Contract: "POST /api/v1/settle/:orderId", body. */
export const settleRequest = z
  .object({
    tx_hash: describeField(txHash, 'The transaction with which the user paid the LP, and no other order.'),
  })
  .meta({ examples: [{ tx_hash: 'a1'.repeat(32) }] });

export const cancelResponse = z.strictObject({ status: z.literal('cancelled') });
