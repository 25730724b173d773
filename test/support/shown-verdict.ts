import type { Verdict } from '../../src/domain/payment-verdict.ts';
import { reasonText } from '../../src/domain/status-reasons.ts';

/** The verdict with the texts that people read in place of its reasons. */
export function shownVerdict(verdict: Verdict) {
  if (verdict.kind === 'invalid') return { ...verdict, reason: reasonText(verdict.reason) };
  return verdict.kind === 'verified'
    ? { ...verdict, note: verdict.note && reasonText(verdict.note) }
    : verdict;
}
