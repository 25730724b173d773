import type { Logger } from 'pino';
import type {
  Chains,
  ChainVerifier,
  ExpectedPayment,
  ExpectedTransfer,
  TransferSearch,
} from '../../adapters/ports.ts';
import type { Chain } from '../../domain/assets.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Verdict } from '../../domain/payment-verdict.ts';
import { reasonText } from '../../domain/status-reasons.ts';

export interface LookUpDeps {
  chains: Chains;
  log: Logger;
  /** How far a chain's clock may be behind ours, in ms. */
  chainClockSkew: number;
}

/** Looks up a transfer of collateral on its chain. Refuses with `unavailable` if the chain does not respond. */
export const lookUpTransfer = (
  log: Logger,
  chain: Chain,
  verifier: ChainVerifier,
  payment: ExpectedPayment,
): Promise<Verdict> =>
  verifier.verify(payment).catch((error: Error) => {
    throw unanswered(log, chain, error);
  });

/** Searches a chain for a transfer of collateral. Refuses with `unavailable` if the chain does not respond. */
export const searchTransfer = (
  log: Logger,
  chain: Chain,
  verifier: ChainVerifier,
  transfer: ExpectedTransfer,
): Promise<TransferSearch> =>
  verifier.findTransfer(transfer).catch((error: Error) => {
    throw unanswered(log, chain, error);
  });

/** The refusal when a chain does not respond. */
function unanswered(log: Logger, chain: Chain, error: Error): DomainError {
  log.warn({ err: error, chain }, 'could not look up a transfer of collateral');
  return new DomainError('unavailable', `${chain} does not respond at the moment: try again later`, {
    retryAfter: 10,
    cause: error,
  });
}

/** Why a transfer is not accepted; undefined: it is final, and exactly what is expected. */
export function refusalOf(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case 'not_found':
      return 'There is no such transaction on the chain yet: try again when it is there';
    case 'pending':
      return `The transaction is not final yet (${verdict.confirmations}): try again later`;
    case 'invalid':
      return reasonText(verdict.reason);
    case 'verified':
      return undefined;
  }
}
