/** Names of the ledger's accounts. Only an LP's three have a balance row; the others are sums over transfers. */
export const ACCOUNTS = {
  /** Where collateral comes from and goes to: the world outside. */
  outside: 'outside',
  platformFees: 'platform:fees',
  /** What LPs lost of their slices when disputes were resolved. */
  platformSlashed: 'platform:slashed',
  lpAvailable: (lpId: number | string) => `lp:${lpId}:available`,
  lpLocked: (lpId: number | string) => `lp:${lpId}:locked`,
  /** Reserved for a withdrawal that is not decided yet. */
  lpWithdrawing: (lpId: number | string) => `lp:${lpId}:withdrawing`,
} as const;

/** What an order's transfers are for: the last part of their key, `order/<id>/<version>/<purpose>`. */
export const LEDGER_PURPOSES = ['lock', 'release', 'slash', 'fee'] as const;
export type LedgerPurpose = (typeof LEDGER_PURPOSES)[number];
