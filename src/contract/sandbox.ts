import { z } from 'zod';
import { address, amount, chain, symbol } from './fields.ts';

/** `POST /sandbox/transactions`: puts a transaction on a simulated chain. */
export const sandboxTransactionRequest = z
  .object({
    chain,
    symbol,
    to: address,
    amount: amount({ places: 18, max: 1_000_000_000 }),
    /** Milliseconds until the chain counts it as final. */
    final_after_ms: z.number().int().min(0).max(86_400_000).default(0),
  })
  .meta({ examples: [{ chain: 'trx', symbol: 'usdt', to: 'TMyReceiveAddress', amount: 50.25 }] });

export const sandboxTransactionResponse = z.strictObject({ tx_hash: z.string() });
