import type { Logger } from 'pino';
import type { Chains } from '../adapters/ports.ts';
import type { CollateralDeposit } from '../db/entities/ledger.ts';
import type { Database } from '../db/orm.ts';
import { announcedBefore } from '../db/queries/announced-before.ts';
import { normaliseTxHash } from '../domain/assets.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal, roundDown, SCALE } from '../domain/money.ts';
import type { Verdict } from '../domain/payment-verdict.ts';

export interface VerifyDepositDeps {
  db: Database;
  chains: Chains;
  log: Logger;
}

/**
 * Sees to it that a deposit is on its chain before it is credited: an LP's own word is not proof.
 * Refuses with `deposit_not_verified`, or with `unavailable` when the chain could not be asked.
 */
export async function verifyDeposit(
  { db, chains, log }: VerifyDepositDeps,
  deposit: CollateralDeposit,
  lp: { created_at: Date },
): Promise<void> {
  const { chain, asset: symbol, tx_hash, amount } = deposit;
  const verifier = chains.get(chain);
  if (!verifier) throw refused(`Deposits on ${chain} are not taken here`);
  // Only a simulated chain, where nothing can be lost, takes an LP's word.
  if (verifier.simulated) return;
  if (!tx_hash)
    throw refused('The deposit was announced without its tx_hash: announce it again, with the hash');
  if (!verifier.depositAddress) throw refused(`Deposits on ${chain} are not taken here`);
  // Who has made a transaction knows its hash before anybody else can see it.
  if (await announcedBefore(db, deposit)) throw refused('Another LP has announced this transaction before');

  const payment = {
    symbol,
    txHash: normaliseTxHash(tx_hash),
    recipient: verifier.depositAddress,
    amount: decimal(amount).toFixed(),
    notBefore: lp.created_at,
    dueBy: null,
  };
  const verdict = await verifier.verify(payment).catch((error: Error) => {
    log.warn({ err: error, depositId: deposit.id }, 'a deposit could not be verified');
    throw new DomainError('unavailable', `${chain} cannot be asked at the moment: confirm again later`, {
      retryAfter: 10,
      cause: error,
    });
  });
  const reason = refusalOf(verdict, payment.amount);
  if (reason !== undefined) throw refused(reason);
}

function refusalOf(verdict: Verdict, announced: string): string | undefined {
  switch (verdict.kind) {
    case 'not_found':
      return 'There is no such transaction on the chain yet: confirm again when it is there';
    case 'pending':
      return `The transaction is not final yet (${verdict.confirmations}): confirm again later`;
    case 'invalid':
      return verdict.reason;
    case 'verified': {
      // What is announced is what is credited, once: the rest would be lost to the LP.
      const whole = roundDown(decimal(verdict.paid), SCALE.usd);
      if (whole.lte(announced)) return undefined;
      return `The transaction pays ${verdict.paid}, ${announced} were announced: announce all of it`;
    }
  }
}

const refused = (reason: string) => new DomainError('deposit_not_verified', reason);
