import { decimal } from './money.ts';
import { invalid, judgePayment, type PaymentTerms, type Transfer, type Verdict } from './payment-verdict.ts';
import { reasonOf } from './status-reasons.ts';

/**
 * Test values: in a sandbox they produce an outcome on demand, like the test cards of card processors. Elsewhere they
 * have no effect. The simulated chains, the simulated LPs and the page that lists them use these values.
 */

/** What a simulated LP does with an order. */
export type LpAction = 'pay' | 'noShow' | 'release' | 'dispute' | 'wait' | 'expire';

interface TestRecipient {
  /** The outcome, for the page that lists the values. */
  means: string;
  /** The first action, the action after one failed claim, and so on. The last one also applies to all later claims. */
  actions: readonly [LpAction, ...LpAction[]];
}

/** Country code 999 is not assigned, so these are not real telephone numbers. */
export const TEST_RECIPIENTS = {
  '+99900000001': { means: 'claimed, and the fiat is sent immediately: `fiat_sent`', actions: ['pay'] },
  '+99900000002': { means: 'no LP claims it and its deadline expires: `cancelled`', actions: ['expire'] },
  '+99900000003': {
    means:
      'claimed by an LP that does nothing until the deadline expires: `matched` again; another LP pays: `fiat_sent`',
    actions: ['noShow', 'pay'],
  },
  '+99900000004': {
    means: 'each LP in turn claims it and misses its deadline, until the order is `cancelled`',
    actions: ['noShow', 'noShow', 'expire'],
  },
  '+99900000005': {
    means: 'claimed and released: `matched` again; another LP pays: `fiat_sent`',
    actions: ['release', 'pay'],
  },
  '+99900000006': {
    means: 'claimed, the fiat is sent, and the LP disputes: `disputed`',
    actions: ['dispute'],
  },
  '+99900000007': {
    means: 'stays `claimed`: expire its deadline yourself, or dispute it',
    actions: ['wait'],
  },
} as const satisfies Record<string, TestRecipient>;

/** Returns the action for a test recipient, or undefined for any other recipient. */
export const lpAction = (recipient: string, failedClaims: number): LpAction | undefined => {
  const test: TestRecipient | undefined = Object.hasOwn(TEST_RECIPIENTS, recipient)
    ? TEST_RECIPIENTS[recipient as keyof typeof TEST_RECIPIENTS]
    : undefined;
  return test?.actions[failedClaims] ?? test?.actions.at(-1);
};

interface TestHash {
  means: string;
  /** The result of every check of the simulated chain. */
  verdict: (terms: PaymentTerms, now: Date) => Verdict;
}

const byPayer = (amount: string): Transfer => ({ amount, platformSender: null });

/** Prefixes of transaction hashes. Hashes with different suffixes are different transactions. */
export const TEST_HASHES = {
  'sandbox-paid-': {
    means: 'pays the amount due, and is final: `completed`',
    verdict: (terms, at) => judgePayment(terms, { at, transfers: [byPayer(terms.amount)] }),
  },
  'sandbox-overpaid-': {
    means: 'pays half a percent too much, and is final: `confirmed` again; the third time `disputed`',
    verdict: (terms, at) =>
      judgePayment(terms, { at, transfers: [byPayer(decimal(terms.amount).mul('1.005').toFixed())] }),
  },
  'sandbox-underpaid-': {
    means: 'pays half of the amount due, and is final: `confirmed` again; the third time `disputed`',
    verdict: (terms, at) =>
      judgePayment(terms, { at, transfers: [byPayer(decimal(terms.amount).div(2).toFixed())] }),
  },
  'sandbox-misdirected-': {
    means: 'pays another address, and is final: `confirmed` again; the third time `disputed`',
    verdict: () => invalid(reasonOf('other_address')),
  },
  'sandbox-pending-': {
    means: 'is on the chain but never final: `crypto_verify_pending`, then `disputed` at its deadline',
    verdict: () => ({ kind: 'pending', confirmations: 'a test value, which is never final' }),
  },
  'sandbox-missing-': {
    means:
      'is never on the chain: `crypto_verify_pending`, then `disputed` at its deadline, unless the agent settles again with another',
    verdict: () => ({ kind: 'not_found' }),
  },
} as const satisfies Record<string, TestHash>;

/** Returns the simulated chain's verdict on a test hash (normalised), or undefined for any other hash. */
export function testVerdict(txHash: string, terms: PaymentTerms, now: Date): Verdict | undefined {
  const found = Object.entries<TestHash>(TEST_HASHES).find(([prefix]) => txHash.startsWith(prefix));
  return found?.[1].verdict(terms, now);
}
