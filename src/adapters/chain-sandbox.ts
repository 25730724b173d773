import { SandboxTransaction } from '../db/entities/infrastructure.ts';
import type { Database } from '../db/orm.ts';
import type { Chain } from '../domain/assets.ts';
import { decimal } from '../domain/money.ts';
import { judgePayment } from '../domain/payment-verdict.ts';
import { testVerdict } from '../domain/sandbox-values.ts';
import type { ChainVerifier } from './ports.ts';

/**
 * Verifies against the simulated chain that `POST /sandbox/transactions` writes to, and the hashes that mean something by
 * themselves. Takes any token and spelling.
 */
export const createSandboxVerifier = (db: Database, chain: Chain): ChainVerifier => ({
  tokens: null,
  isAddress: () => true,
  isTxHash: () => true,
  depositAddress: null,
  simulated: true,
  verify: async ({ txHash, ...terms }) => {
    const told = testVerdict(txHash, terms, new Date());
    if (told) return told;
    const transaction = await db.em().findOne(SandboxTransaction, { chain, tx_hash: txHash });
    if (!transaction) return { kind: 'not_found' };
    const { final_at, to, amount, symbol, created_at: at } = transaction;
    if (final_at > new Date())
      return { kind: 'pending', confirmations: `final at ${final_at.toISOString()}` };
    if (symbol !== terms.symbol)
      return { kind: 'invalid', reason: `The transaction pays ${symbol}, not ${terms.symbol}` };
    if (to !== terms.recipient)
      return { kind: 'invalid', reason: 'The transaction pays another address than the LP’s' };
    return judgePayment(terms, { at, transfers: [decimal(amount).toFixed()] });
  },
});
