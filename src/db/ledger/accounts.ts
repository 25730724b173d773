/** Names of the ledger's accounts. */
export const ACCOUNTS = {
  /** The world outside: deposits come from it and withdrawals go to it. */
  outside: 'outside',
  platformFees: 'platform:fees',
  /** Collateral that LPs lost when admins resolved disputes. */
  platformSlashed: 'platform:slashed',
  lpAvailable: (lpId: number | string) => `lp:${lpId}:available`,
  lpLocked: (lpId: number | string) => `lp:${lpId}:locked`,
  /** Reserved for withdrawals that wait for an admin's decision. */
  lpWithdrawing: (lpId: number | string) => `lp:${lpId}:withdrawing`,
} as const;
type Account = keyof typeof ACCOUNTS;

/**
 * The column of `lp_collateral` that holds an account's balance. The other accounts have no balance: they are sums over
 * transfers, because every order would have to lock a balance row.
 */
export const BALANCE_COLUMNS: Partial<Record<Account, string>> = {
  lpAvailable: 'available',
  lpLocked: 'locked',
  lpWithdrawing: 'withdrawing',
};

const ACCOUNT_NAME =
  /^(?:outside|platform:(?:fees|slashed)|lp:([1-9]\d{0,14}):(?:available|locked|withdrawing))$/;

/** The LP of the account with this name; null for an account that belongs to no LP. Undefined: there is no such account. */
export function lpOfAccount(name: string): number | null | undefined {
  const found = ACCOUNT_NAME.exec(name);
  if (!found) return undefined;
  return found[1] === undefined ? null : Number(found[1]);
}

/** Purposes of an order's transfers. */
export const ORDER_PURPOSES = ['lock', 'release', 'slash', 'fee'] as const;
export type OrderPurpose = (typeof ORDER_PURPOSES)[number];

interface Route {
  debit: Account;
  credit: Account;
}

/**
 * Every transfer that Corridor makes by itself: what causes it, its purpose, and the accounts between which it moves
 * money.
 */
export const TRANSFERS = {
  order: {
    lock: { debit: 'lpAvailable', credit: 'lpLocked' },
    release: { debit: 'lpLocked', credit: 'lpAvailable' },
    slash: { debit: 'lpLocked', credit: 'platformSlashed' },
    fee: { debit: 'lpAvailable', credit: 'platformFees' },
  },
  deposit: {
    credit: { debit: 'outside', credit: 'lpAvailable' },
  },
  withdrawal: {
    request: { debit: 'lpAvailable', credit: 'lpWithdrawing' },
    payout: { debit: 'lpWithdrawing', credit: 'outside' },
    return: { debit: 'lpWithdrawing', credit: 'lpAvailable' },
  },
} as const satisfies Record<string, Record<string, Route>> & { order: Record<OrderPurpose, Route> };

export type TransferSource = keyof typeof TRANSFERS;
export type Purpose<Source extends TransferSource> = keyof (typeof TRANSFERS)[Source] & string;
