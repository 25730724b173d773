import { SandboxTransaction } from '../db/entities/infrastructure.ts';
import type { Database } from '../db/orm.ts';
import type { Chain } from '../domain/assets.ts';
import { decimal } from '../domain/money.ts';
import { invalid, judgePayment } from '../domain/payment-verdict.ts';
import { testVerdict } from '../domain/sandbox-values.ts';
import { reasonOf } from '../domain/status-reasons.ts';
import { judgeTag, xrplTags } from './destination-tags.ts';
import type { ChainVerifier } from './ports.ts';

/**
 * Verifies against the simulated chain that `POST /sandbox/transactions` writes to, and against the test hashes. Accepts
 * any token, address and hash.
 */
export const createSandboxVerifier = (db: Database, chain: Chain): ChainVerifier => ({
  tokens: null,
  isAddress: () => true,
  tokenAddresses: [],
  isTxHash: () => true,
  depositAddress: 'sandbox-collateral',
  depositTag: null,
  reserveAddresses: [],
  balance: null,
  tags: chain === 'xrpl' ? xrplTags(null, async () => false) : null,
  simulated: true,
  findTransfer: async () => ({ kind: 'not_searchable', reason: 'the chain is simulated' }),
  verify: async ({ txHash, destinationTag, ...terms }) => {
    const verdict = testVerdict(txHash, terms, new Date());
    if (verdict) return verdict;
    const transaction = await db.em().findOne(SandboxTransaction, { chain, tx_hash: txHash });
    if (!transaction) return { kind: 'not_found' };
    const { final_at, to, amount, symbol, created_at: at } = transaction;
    if (final_at > new Date())
      return { kind: 'pending', confirmations: `final at ${final_at.toISOString()}` };
    if (symbol !== terms.symbol)
      return invalid(reasonOf('other_token', { paid: symbol, symbol: terms.symbol }));
    if (to !== terms.recipient) return invalid(reasonOf('other_address'));
    const wrongTag = judgeTag(transaction.destination_tag ?? null, destinationTag);
    if (wrongTag) return wrongTag;
    return judgePayment(terms, {
      at,
      transfers: [{ amount: decimal(amount).toFixed(), platformSender: null }],
    });
  },
});
