import type { OrderStatus } from './order-state.ts';
import type { BoundRecipientCheck } from './recipient-check.ts';

/** Public views of an order. Contract: "Order row" (webhook `data` whitelist and public view) and "Status view". */

type Kind = 'text' | 'number' | 'decimal' | 'time';

/** The columns of the order row that the contract publishes and the destination tag, and the JSON type of each. */
export const VIEW_COLUMNS = {
  id: 'number',
  user_id: 'number',
  lp_id: 'number',
  type: 'text',
  amount_fiat: 'decimal',
  currency: 'text',
  amount_usd: 'decimal',
  amount_crypto: 'decimal',
  crypto_symbol: 'text',
  crypto_chain: 'text',
  lp_receive_address: 'text',
  destination_tag: 'number',
  user_crypto_tx_hash: 'text',
  spread_bps: 'number',
  fee_usd: 'decimal',
  status: 'text',
  timeout_at: 'time',
  created_at: 'time',
  completed_at: 'time',
  cancelled_at: 'time',
  callback_url: 'text',
  receipt_url: 'text',
} as const satisfies Record<string, Kind>;
export type ViewColumn = keyof typeof VIEW_COLUMNS;
export type OrderView = Partial<Record<ViewColumn | 'callback_host', string | number | null>>;

/** `party`: the order's agent, or an admin. `lp`: the LP that claimed it. */
export type OrderAudience = 'party' | 'lp' | 'public';

/**
 * The view is public, and ids can be guessed. An agent's URL may contain a secret, and an LP must not see the agent's
 * users.
 */
const HIDDEN: Record<OrderAudience, readonly ViewColumn[]> = {
  party: [],
  lp: ['user_id', 'callback_url'],
  public: ['user_id', 'callback_url', 'receipt_url'],
};

/** A row from SQL, the ORM or a JSON snapshot. Decimals may be strings, times strings or Dates. */
export type RowLike = Partial<Record<ViewColumn, unknown>>;

/** Returns the whitelisted columns of a row with JSON's types. Amounts become numbers here, not earlier. */
export function orderView(row: RowLike, audience: OrderAudience): OrderView {
  const view: OrderView = {};
  for (const column of Object.keys(VIEW_COLUMNS) as ViewColumn[]) {
    if (HIDDEN[audience].includes(column)) continue;
    const value = jsonValue(row[column], VIEW_COLUMNS[column]);
    // The contract does not name the tag, so only an order that has one shows it.
    if (column !== 'destination_tag' || value !== null) view[column] = value;
  }
  // Shows the LP which agent it works for.
  if (audience === 'lp') view.callback_host = hostOf(row.callback_url);
  return view;
}

/** Writes an address and its destination tag as one text. Undefined: it cannot be written. */
export type WithTag = (address: string, tag: number) => string | undefined;

/**
 * Returns a webhook's `data`: the fields that have a value. Contract: "Only the keys stored on the row are present". Its
 * whitelist has no destination tag, so an address with a tag is one text.
 */
export function webhookData(snapshot: RowLike, withTag: WithTag): OrderView {
  const { destination_tag: tag, ...view } = orderView(snapshot, 'party');
  if (tag !== undefined)
    view.lp_receive_address = withTag(String(view.lp_receive_address), Number(tag)) ?? null;
  return Object.fromEntries(Object.entries(view).filter(([, value]) => value !== null));
}

export interface StatusView {
  order_id: number;
  status: OrderStatus;
  amount_fiat: number;
  currency: string;
  crypto_symbol: string;
  crypto_amount: number;
  tx_hash: string | null;
  created_at: string;
  completed_at: string | null;
  /** Present if the payment named one. */
  recipient_check?: BoundRecipientCheck;
}

export interface StatusRow {
  id: number;
  status: OrderStatus;
  amount_fiat: string;
  currency: string;
  crypto_symbol: string;
  amount_crypto: string;
  user_crypto_tx_hash?: string | null | undefined;
  created_at: Date;
  completed_at?: Date | null | undefined;
  recipient_check?: BoundRecipientCheck | null | undefined;
}

export const statusView = (row: StatusRow): StatusView => ({
  order_id: row.id,
  status: row.status,
  amount_fiat: Number(row.amount_fiat),
  currency: row.currency,
  crypto_symbol: row.crypto_symbol,
  crypto_amount: Number(row.amount_crypto),
  tx_hash: row.user_crypto_tx_hash ?? null,
  created_at: row.created_at.toISOString(),
  completed_at: row.completed_at?.toISOString() ?? null,
  ...(row.recipient_check ? { recipient_check: row.recipient_check } : {}),
});

/** Shows the ends of a recipient and hides the rest: `+2••••••••78`. Hides a short recipient completely. */
export function maskRecipient(recipient: string): string {
  const characters = [...recipient];
  const shown = characters.length >= 8 ? 2 : 0;
  return characters.map((c, i) => (i < shown || i >= characters.length - shown ? c : '•')).join('');
}

/** The fields of a recipient, each masked like the recipient itself. */
export const maskDetails = (details: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(details).map(([name, value]) => [name, maskRecipient(value)]));

const hostOf = (url: unknown): string | null =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null;

function jsonValue(value: unknown, kind: Kind): string | number | null {
  if (value === null || value === undefined) return null;
  if (kind === 'time') return new Date(value as string | Date).toISOString();
  if (kind === 'text') return String(value);
  return Number(value);
}
