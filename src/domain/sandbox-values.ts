import { decimal } from './money.ts';
import { judgePayment, type PaymentTerms, type Verdict } from './payment-verdict.ts';

/**
 * Values that make an ending happen on demand in a sandbox, as card processors have test cards. Nowhere else do they mean
 * anything. Read by the simulated chains, by the simulated LPs, by the page that lists them and by its test.
 */

/** What a simulated LP does with an order that has been let down so many times before. */
export type LpDeed = 'pay' | 'noShow' | 'release' | 'dispute' | 'wait' | 'expire';

interface TestRecipient {
  /** What becomes of the order. */
  means: string;
  /** By how often the order has been let down before; the last one holds from then on. */
  deeds: readonly [LpDeed, ...LpDeed[]];
}

/** Country code 999 is assigned to nobody: none of these is anybody's telephone. */
export const TEST_RECIPIENTS = {
  '+99900000001': { means: 'claimed, and the fiat sent at once: `fiat_sent`', deeds: ['pay'] },
  '+99900000002': { means: 'claimed by nobody, its deadline fired: `cancelled`', deeds: ['expire'] },
  '+99900000003': {
    means:
      'claimed by an LP that does nothing, its deadline fired: `matched` again; another LP pays: `fiat_sent`',
    deeds: ['noShow', 'pay'],
  },
  '+99900000004': {
    means: 'let down like that by one LP after the other, until it is `cancelled`',
    deeds: ['noShow', 'noShow', 'expire'],
  },
  '+99900000005': {
    means: 'claimed and given back, without a strike: `matched` again; another LP pays: `fiat_sent`',
    deeds: ['release', 'pay'],
  },
  '+99900000006': { means: 'claimed, the fiat sent, and disputed by the LP: `disputed`', deeds: ['dispute'] },
  '+99900000007': {
    means: '`claimed`, and nothing more: let its deadline pass yourself, or dispute it',
    deeds: ['wait'],
  },
} as const satisfies Record<string, TestRecipient>;

/** Undefined for a recipient that means nothing. */
export const lpDeed = (recipient: string, letDown: number): LpDeed | undefined => {
  const test: TestRecipient | undefined = Object.hasOwn(TEST_RECIPIENTS, recipient)
    ? TEST_RECIPIENTS[recipient as keyof typeof TEST_RECIPIENTS]
    : undefined;
  return test?.deeds[letDown] ?? test?.deeds.at(-1);
};

interface TestHash {
  means: string;
  /** What every look at the simulated chain says. */
  verdict: (terms: PaymentTerms, now: Date) => Verdict;
}

const WRONG = 'The transaction pays another address than the LP’s';

/** Beginnings of transaction hashes; what follows makes each of them another transaction. */
export const TEST_HASHES = {
  'sandbox-paid-': {
    means: 'pays what is owed, and is final: `completed`',
    verdict: (terms, at) => judgePayment(terms, { at, transfers: [terms.amount] }),
  },
  'sandbox-overpaid-': {
    means: 'pays half a percent too much, and is final: `completed`, with a note on the timeline',
    verdict: (terms, at) =>
      judgePayment(terms, { at, transfers: [decimal(terms.amount).mul('1.005').toFixed()] }),
  },
  'sandbox-underpaid-': {
    means: 'pays half of it, and is final: `confirmed` again; the third time `disputed`',
    verdict: (terms, at) => judgePayment(terms, { at, transfers: [decimal(terms.amount).div(2).toFixed()] }),
  },
  'sandbox-misdirected-': {
    means: 'pays another address, and is final: `confirmed` again; the third time `disputed`',
    verdict: () => ({ kind: 'invalid', reason: WRONG }),
  },
  'sandbox-pending-': {
    means: 'is on the chain and never final: `crypto_verify_pending`, until its deadline makes it `disputed`',
    verdict: () => ({ kind: 'pending', confirmations: 'a test value, which is never final' }),
  },
  'sandbox-missing-': {
    means: 'is never on the chain: likewise',
    verdict: () => ({ kind: 'not_found' }),
  },
} as const satisfies Record<string, TestHash>;

/** What the simulated chain says of a transaction (normalised hash) by its hash alone; undefined: nothing. */
export function testVerdict(txHash: string, terms: PaymentTerms, now: Date): Verdict | undefined {
  const found = Object.entries<TestHash>(TEST_HASHES).find(([prefix]) => txHash.startsWith(prefix));
  return found?.[1].verdict(terms, now);
}
