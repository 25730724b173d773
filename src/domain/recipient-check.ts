import { compareNames, maskName, nameWords } from './name-match.ts';

/** The possible results of a check of a recipient. */
export const RECIPIENT_CHECK_RESULTS = [
  'matched',
  'partial',
  'not_matched',
  'unsupported',
  'unavailable',
] as const;
export type RecipientCheckResult = (typeof RECIPIENT_CHECK_RESULTS)[number];

/** The resolver's answer about an account: the holder's name, no such account, or no usable answer. */
export type ResolvedRecipient =
  | { kind: 'named'; name: string }
  | { kind: 'unknown' }
  | { kind: 'unavailable'; reason: string };

export interface RecipientVerdict {
  result: RecipientCheckResult;
  /** Null unless the resolver named the holder. */
  name_masked: string | null;
}

/**
 * The result of a check. Only a name from the resolver can make it `matched` or `partial`. Without an expected name, an
 * account with a holder is `partial`: the account exists, and nothing more is known. `resolved` null: there is no
 * resolver.
 */
export function judgeRecipient(
  expected: string | undefined,
  resolved: ResolvedRecipient | null,
): RecipientVerdict {
  if (resolved === null) return { result: 'unsupported', name_masked: null };
  if (resolved.kind === 'unavailable') return { result: 'unavailable', name_masked: null };
  if (resolved.kind === 'unknown') return { result: 'not_matched', name_masked: null };
  if (nameWords(resolved.name).length === 0) return { result: 'unavailable', name_masked: null };
  const result = expected === undefined ? 'partial' : compareNames(expected, resolved.name);
  return { result, name_masked: maskName(resolved.name) };
}

/** The check that a payment names, as its order keeps it. A type alias, so that it is assignable to a JSON column. */
export type BoundRecipientCheck = RecipientVerdict & {
  recipient_check_id: string;
  checked_at: string;
};
