/**
 * The kinds of postings by admins: fees taken out, compensation for a harmed party, and corrections. The admin moves
 * the money outside Corridor and records it here.
 */
export const POSTING_KINDS = ['payout', 'compensation', 'adjustment'] as const;
export type PostingKind = (typeof POSTING_KINDS)[number];
