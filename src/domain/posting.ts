/**
 * What admins post to the ledger: fees taken out, compensation of somebody who was harmed, and corrections. An admin moves
 * the money itself, and records it here.
 */
export const POSTING_KINDS = ['payout', 'compensation', 'adjustment'] as const;
export type PostingKind = (typeof POSTING_KINDS)[number];
