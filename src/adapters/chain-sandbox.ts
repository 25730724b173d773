import { SandboxTransaction } from '../db/entities/infrastructure.ts';
import type { Database } from '../db/orm.ts';
import { decimal } from '../domain/money.ts';
import type { ChainVerifier } from './ports.ts';

/** Verifies against the simulated chains that `POST /sandbox/transactions` writes to. */
export const createSandboxVerifier = (db: Database): ChainVerifier => ({
  creditsUnproven: true,
  verify: async ({ chain, symbol, txHash, recipient, amount }) => {
    const transaction = await db.em().findOne(SandboxTransaction, { chain, tx_hash: txHash });
    if (!transaction) return { kind: 'not_found' };
    const { final_at, to, amount: paid } = transaction;
    if (final_at > new Date())
      return { kind: 'pending', confirmations: `final at ${final_at.toISOString()}` };
    if (transaction.symbol !== symbol)
      return invalid(`The transaction pays ${transaction.symbol}, not ${symbol}`);
    if (to !== recipient) return invalid('The transaction pays another address than the LP’s');
    if (decimal(paid).lt(amount))
      return invalid(`The transaction pays ${decimal(paid).toFixed()}, not ${amount}`);
    return { kind: 'verified' };
  },
});

const invalid = (reason: string) => ({ kind: 'invalid' as const, reason });
