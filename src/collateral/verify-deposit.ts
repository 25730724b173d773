import type { CollateralDeposit } from '../db/entities/ledger.ts';
import type { Database } from '../db/orm.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { earliestBlock } from '../domain/payment-verdict.ts';
import { requireTxHash } from '../pricing/accepted-tokens.ts';
import { countLookup, returnLookup } from './count-lookup.ts';
import { type LookUpDeps, lookUpTransfer, refusalOf } from './look-up-transfer.ts';

export interface VerifyDepositDeps extends LookUpDeps {
  db: Database;
}

/**
 * Verifies on its chain that a transaction pays an announced deposit: exactly its amount, to the deposit address, since the
 * announcement. An LP's own word is not proof, except on a simulated chain, where nothing can be lost.
 * Refuses with `deposit_not_verified`, `deposit_expired`, `too_many_lookups`, `validation_failed` for a hash that is missing
 * or malformed, and `unavailable` if the chain does not respond.
 */
export async function verifyDeposit(
  { db, chains, log, chainClockSkew }: VerifyDepositDeps,
  deposit: CollateralDeposit,
  txHash: string | null,
): Promise<void> {
  const { id, chain, created_at, expires_at } = deposit;
  if (expires_at <= new Date()) throw new DomainError('deposit_expired');
  const verifier = chains.get(chain);
  if (!verifier?.depositAddress) throw refused(`Deposits on ${chain} are not accepted here`);
  if (txHash === null) {
    if (verifier.simulated) return;
    throw invalidField('tx_hash', 'is required: name the transaction that pays the deposit');
  }
  requireTxHash(verifier, chain, txHash);
  await countLookup(db, id);

  const payment = {
    symbol: deposit.asset,
    txHash: normaliseTxHash(txHash),
    recipient: verifier.depositAddress,
    destinationTag: verifier.depositTag,
    amount: decimal(deposit.amount).toFixed(),
    notBefore: earliestBlock(created_at, chainClockSkew),
    dueBy: null,
  };
  const verdict = await lookUpTransfer(log, chain, verifier, payment).catch(async (error) => {
    await returnLookup(db, id);
    throw error;
  });
  const reason = refusalOf(verdict);
  if (reason !== undefined) throw refused(reason);
}

const refused = (reason: string) => new DomainError('deposit_not_verified', reason);
