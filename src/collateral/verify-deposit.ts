import type { Logger } from 'pino';
import type { Chains } from '../adapters/ports.ts';
import type { CollateralDeposit } from '../db/entities/ledger.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { earliestBlock, type Verdict } from '../domain/payment-verdict.ts';

export interface VerifyDepositDeps {
  chains: Chains;
  log: Logger;
  /** How far a chain's clock may be behind ours, in ms. */
  chainClockSkew: number;
}

/**
 * Verifies a deposit on its chain before Corridor credits it: an LP's own word is not proof.
 * Refuses with `deposit_not_verified`, or with `unavailable` if the chain does not respond.
 */
export async function verifyDeposit(
  { chains, log, chainClockSkew }: VerifyDepositDeps,
  deposit: CollateralDeposit,
  lp: { created_at: Date },
): Promise<void> {
  const { chain, asset: symbol, tx_hash, amount } = deposit;
  const verifier = chains.get(chain);
  if (!verifier) throw refused(`Deposits on ${chain} are not accepted here`);
  // On a simulated chain nothing can be lost, so the LP's word is enough.
  if (verifier.simulated) return;
  if (!tx_hash)
    throw refused('The deposit was announced without its tx_hash: announce it again, with the hash');
  if (!verifier.depositAddress) throw refused(`Deposits on ${chain} are not accepted here`);

  const payment = {
    symbol,
    txHash: normaliseTxHash(tx_hash),
    recipient: verifier.depositAddress,
    destinationTag: verifier.depositTag,
    amount: decimal(amount).toFixed(),
    notBefore: earliestBlock(lp.created_at, chainClockSkew),
    dueBy: null,
  };
  const verdict = await verifier.verify(payment).catch((error: Error) => {
    log.warn({ err: error, depositId: deposit.id }, 'could not verify a deposit');
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
