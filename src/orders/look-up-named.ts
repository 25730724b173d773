import type { Logger } from 'pino';
import { ChainUnavailable } from '../adapters/chain-unavailable.ts';
import type { Chains } from '../adapters/ports.ts';
import type { Database } from '../db/orm.ts';
import { CHAIN_NAMES } from '../domain/assets.ts';
import type { Verdict } from '../domain/payment-verdict.ts';
import { reasonText } from '../domain/status-reasons.ts';
import { expectedPayment, type PaymentToVerify } from './expected-payment.ts';

export const CHAIN_RESULTS = ['verified', 'pending', 'invalid', 'not_found', 'unavailable'] as const;

/** What a chain says about a transaction. `unavailable`: the chain could not be asked. `detail`: a sentence for people. */
export interface ChainFinding {
  result: (typeof CHAIN_RESULTS)[number];
  detail: string;
}

export interface LookUpNamedDeps {
  db: Database;
  chains: Chains;
  log: Logger;
  /** How far a chain's clock may be behind ours, in ms. */
  chainClockSkew: number;
}

/**
 * Asks the order's chain whether the transaction that an admin names pays the order. Only informs: an admin can end a
 * dispute while the node is away, and about a payment of another amount. So it never rejects.
 */
export async function lookUpNamed(
  { db, chains, log, chainClockSkew }: LookUpNamedDeps,
  orderId: number,
  txHash: string,
): Promise<ChainFinding> {
  try {
    const expected = await expectedPayment(db, orderId, chainClockSkew, txHash);
    const { chain } = expected.verification;
    const verifier = chains.get(chain);
    if (!verifier) throw new ChainUnavailable(chain, 'this chain is no longer configured');
    return findingOf(await verifier.verify(expected.payment), expected);
  } catch (error) {
    log.warn({ err: error, orderId }, 'could not look up the transaction that an admin names');
    const why = error instanceof ChainUnavailable ? error.message : 'the look-up failed';
    return { result: 'unavailable', detail: `The chain could not be asked: ${why}` };
  }
}

function findingOf(verdict: Verdict, { payment, verification: { chain } }: PaymentToVerify): ChainFinding {
  return { result: verdict.kind, detail: detailOf() };

  function detailOf(): string {
    switch (verdict.kind) {
      case 'not_found':
        return `${CHAIN_NAMES[chain]} does not know this transaction`;
      case 'pending':
        return `The transaction is not final yet (${verdict.confirmations})`;
      case 'invalid':
        return reasonText(verdict.reason);
      case 'verified': {
        const paid = `The transaction pays ${verdict.paid} ${payment.symbol} to the order’s address, as asked for`;
        return verdict.note === null ? paid : `${paid}. ${reasonText(verdict.note)}`;
      }
    }
  }
}
