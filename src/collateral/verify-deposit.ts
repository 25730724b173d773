import type { Logger } from 'pino';
import type { Chains } from '../adapters/ports.ts';
import type { CollateralDeposit } from '../db/entities/ledger.ts';
import type { Database } from '../db/orm.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { earliestBlock, type Verdict } from '../domain/payment-verdict.ts';
import { requireTxHash } from '../pricing/accepted-tokens.ts';
import { countLookup, returnLookup } from './count-lookup.ts';

export interface VerifyDepositDeps {
  db: Database;
  chains: Chains;
  log: Logger;
  /** How far a chain's clock may be behind ours, in ms. */
  chainClockSkew: number;
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
  const verdict = await verifier.verify(payment).catch(async (error: Error) => {
    log.warn({ err: error, depositId: id }, 'could not verify a deposit');
    await returnLookup(db, id);
    throw new DomainError('unavailable', `${chain} does not respond at the moment: confirm again later`, {
      retryAfter: 10,
      cause: error,
    });
  });
  const reason = refusalOf(verdict);
  if (reason !== undefined) throw refused(reason);
}

function refusalOf(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case 'not_found':
      return 'There is no such transaction on the chain yet: confirm again when it is there';
    case 'pending':
      return `The transaction is not final yet (${verdict.confirmations}): confirm again later`;
    case 'invalid':
      return verdict.reason;
    case 'verified':
      return undefined;
  }
}

const refused = (reason: string) => new DomainError('deposit_not_verified', reason);
