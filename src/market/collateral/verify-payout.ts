import type { CollateralWithdrawal } from '../../db/entities/ledger.ts';
import { normaliseTxHash } from '../../domain/assets.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { earliestBlock } from '../../domain/payment-verdict.ts';
import { testVerdict } from '../../domain/sandbox-values.ts';
import { requireTxHash } from '../pricing/accepted-tokens.ts';
import { type LookUpDeps, lookUpTransfer, refusalOf } from './look-up-transfer.ts';

/**
 * Verifies on its chain that a transaction pays a withdrawal: exactly its amount, to its address, after the request. On
 * a simulated chain it verifies only test hashes. Refuses with `payout_not_verified`, `validation_failed` for a hash
 * that is missing or malformed, and `unavailable`.
 */
export async function verifyPayout(
  { chains, log, chainClockSkew }: LookUpDeps,
  { chain, asset, address, amount, created_at }: CollateralWithdrawal,
  txHash: string | null,
): Promise<void> {
  const verifier = chains.get(chain);
  if (!verifier) throw refused(`Payouts on ${chain} cannot be verified here: reject the withdrawal`);
  if (txHash === null) {
    if (verifier.simulated) return;
    throw invalidField('tx_hash', 'is required: name the transaction that pays the withdrawal');
  }
  requireTxHash(verifier, chain, txHash);
  const payment = {
    ...{ symbol: asset, txHash: normaliseTxHash(txHash), recipient: address, destinationTag: null },
    amount: decimal(amount).toFixed(),
    notBefore: earliestBlock(created_at, chainClockSkew),
    dueBy: null,
    platformMaySend: true,
  };
  if (verifier.simulated && !testVerdict(payment.txHash, payment, new Date())) return;
  const reason = refusalOf(await lookUpTransfer(log, chain, verifier, payment));
  if (reason !== undefined) throw refused(reason);
}

const refused = (reason: string) => new DomainError('payout_not_verified', reason);
