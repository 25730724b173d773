/** Names of the ledger's accounts. Only an LP's two have a balance row; the others are sums over transfers. */
export const ACCOUNTS = {
  /** Where collateral comes from and goes to: the world outside. */
  outside: 'outside',
  platformFees: 'platform:fees',
  lpAvailable: (lpId: number | string) => `lp:${lpId}:available`,
  lpLocked: (lpId: number | string) => `lp:${lpId}:locked`,
} as const;
