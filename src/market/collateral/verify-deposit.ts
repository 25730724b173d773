import type { ExpectedTransfer, TransferSearch } from '../../adapters/ports.ts';
import type { CollateralDeposit } from '../../db/entities/ledger.ts';
import type { Database } from '../../db/orm.ts';
import { normaliseTxHash } from '../../domain/assets.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { earliestBlock } from '../../domain/payment-verdict.ts';
import { requireTxHash } from '../pricing/accepted-tokens.ts';
import { countLookup, returnLookup } from './count-lookup.ts';
import { type LookUpDeps, lookUpTransfer, refusalOf, searchTransfer } from './look-up-transfer.ts';

export interface VerifyDepositDeps extends LookUpDeps {
  db: Database;
  /** Counts a look-up at the chain's node before it begins. Throws if there may be none. */
  countNodeLookup: () => Promise<void>;
}

/**
 * Verifies on its chain that a transaction pays an announced deposit: exactly its amount, to the deposit address, after
 * the announcement. Without a hash, Corridor searches the chain for such a transfer. Only on a simulated chain, where
 * nothing can be lost, the LP's confirmation is enough. Returns the transaction's hash; null only on a simulated chain.
 * Refuses with `deposit_not_verified`, `deposit_expired`, `deposit_lookups_used` or `too_many_lookups`, and with
 * `unavailable` if the chain does not respond. Refuses with `validation_failed` if the hash is malformed, or if it is
 * missing although the chain cannot be searched.
 */
export async function verifyDeposit(
  { db, chains, log, chainClockSkew, countNodeLookup }: VerifyDepositDeps,
  deposit: CollateralDeposit,
  named: string | null,
): Promise<string | null> {
  const { id, chain, created_at, expires_at } = deposit;
  if (expires_at <= new Date()) throw new DomainError('deposit_expired');
  const verifier = chains.get(chain);
  if (!verifier?.depositAddress) throw refused(`Deposits on ${chain} are not accepted here`);
  if (named === null && verifier.simulated) return null;
  if (named !== null) requireTxHash(verifier, chain, named);
  await countLookup(db, id);
  if (!verifier.simulated) await uncountedIfRefused(countNodeLookup());

  const transfer = {
    symbol: deposit.asset,
    recipient: verifier.depositAddress,
    destinationTag: verifier.depositTag,
    amount: decimal(deposit.amount).toFixed(),
    notBefore: earliestBlock(created_at, chainClockSkew),
    platformMaySend: false,
  };
  const search = () => uncountedIfRefused(searchTransfer(log, chain, verifier, transfer));
  const txHash = named ?? hashOf(await search(), transfer);
  const payment = { ...transfer, txHash: normaliseTxHash(txHash), dueBy: null };
  const verdict = await uncountedIfRefused(lookUpTransfer(log, chain, verifier, payment));
  // Finality can take longer than the look-ups of a deposit last.
  if (verdict.kind === 'pending') await returnLookup(db, id);
  const reason = refusalOf(verdict);
  if (reason !== undefined) throw refused(reason);
  return txHash;

  /** A look-up of the deposit counts only if the chain answers, and not while the transaction waits to be final. */
  function uncountedIfRefused<T>(look: Promise<T>): Promise<T> {
    return look.catch(async (error) => {
      await returnLookup(db, id);
      throw error;
    });
  }
}

/** The transaction that a search found. Refuses if it found none. */
function hashOf(search: TransferSearch, { symbol, amount }: ExpectedTransfer): string {
  switch (search.kind) {
    case 'found':
      return search.txHash;
    case 'not_found':
      throw refused(
        `No transfer of exactly ${amount} ${symbol} has arrived since the announcement: try again when it is on the chain`,
      );
    case 'not_searchable':
      throw invalidField('tx_hash', `is required: ${search.reason}`);
  }
}

const refused = (reason: string) => new DomainError('deposit_not_verified', reason);
