import { randomUUID } from 'node:crypto';
import type {
  AssetAnswer,
  AssetRequest,
  AutoClaimRequest,
  Balance,
  ClaimAnswer,
  ConfirmDepositRequest,
  Dashboard,
  DepositAnswer,
  DepositRequest,
  Done,
  FiatSentAnswer,
  LpDisputeAnswer,
  LpTerms,
  LpWebhook,
  LpWebhookRequest,
  NewLpWebhook,
  Order,
  OwnOrder,
  OwnOrdersPage,
  OwnOrdersQuery,
  RateAnswer,
  RateRequest,
  Receipt,
  RegisterRequest,
  Registration,
  ReleaseAnswer,
  ReplayedWithdrawal,
  TermsAnswer,
  TermsRequest,
  Withdrawal,
  WithdrawRequest,
} from './contract.ts';
import { type FeedEvent, type FeedOptions, orderFeed } from './feed.ts';
import { listAll } from './list-all.ts';
import { type ConnectionOptions, createTransport, requireKey, type TransportOptions } from './transport.ts';

export type LpOptions = TransportOptions;

export interface WithdrawOptions {
  /** Identifies this withdrawal: calls with the same key make one withdrawal. By default the client generates a key. */
  idempotencyKey?: string;
}

/** The API of a liquidity provider. Every method throws a `CorridorError` if the service refuses. */
export interface LpClient {
  /** Returns the LP's terms and record, the newest 20 open orders, and its own newest 20 orders, also those that have ended. */
  dashboard: () => Promise<Dashboard>;
  /**
   * Yields the orders that the LP owns or owned, newest first, for example the `claimed` ones. Reads each page only when the
   * loop reaches it.
   */
  orders: (query?: Omit<OwnOrdersQuery, 'cursor'>) => AsyncIterable<OwnOrder>;
  balance: () => Promise<Balance>;
  /** Returns an order. The LP that owns it also sees the fields that only its parties may see. */
  order: (orderId: number) => Promise<Order>;
  /**
   * Publishes or changes the LP's terms for a corridor. A missing field stays as it is. The client sends a change of
   * `float` only once, because a repetition could undo what a claim has reserved meanwhile: after `no_answer`, read
   * `terms()`.
   */
  publishTerms: (terms: TermsRequest) => Promise<TermsAnswer>;
  /** Returns the LP's terms for all corridors. */
  terms: () => Promise<LpTerms>;
  /** Publishes a rate for the default method of a currency. It replaces the LP's rate there. */
  publishRate: (rate: RateRequest) => Promise<RateAnswer>;
  /**
   * Registers the LP's receive address for a token on a chain. Claims of orders in this token require it. If the token has
   * another address already, the new one may take effect later, at `takes_effect_at`: until then, orders that the LP claims
   * are paid at the present one.
   */
  registerAsset: (asset: AssetRequest) => Promise<AssetAnswer>;
  /**
   * Announces a deposit of collateral. Then send exactly `pay_to.amount` to `pay_to.address`, in one transfer and before
   * `expires_at`. The service credits it after `confirmDeposit`.
   */
  deposit: (deposit: DepositRequest) => Promise<DepositAnswer>;
  /**
   * Verifies that a transaction pays a deposit, and credits it. Call it again until the transaction is final. Without
   * `tx_hash`, the service searches the chain for the transfer.
   */
  confirmDeposit: (depositId: number, paid?: ConfirmDepositRequest) => Promise<Done>;
  withdraw: (
    withdrawal: WithdrawRequest,
    options?: WithdrawOptions,
  ) => Promise<Withdrawal | ReplayedWithdrawal>;
  /** Replaces the whole auto-claim configuration. */
  setAutoClaim: (configuration: AutoClaimRequest) => Promise<Done>;
  /** Turns the LP's webhooks on, or changes them. Store the secret: the service shows it only once. */
  setWebhook: (webhook: LpWebhookRequest) => Promise<NewLpWebhook>;
  /** Returns the URL of the LP's webhooks, and whether they arrive. */
  webhook: () => Promise<LpWebhook>;
  /** Turns the LP's webhooks off. */
  removeWebhook: () => Promise<Done>;
  /** Claims an order and locks collateral. Throws `order_not_claimable` if another LP was faster. */
  claim: (orderId: number) => Promise<ClaimAnswer>;
  /** Reports that the LP has sent the fiat. */
  fiatSent: (orderId: number) => Promise<FiatSentAnswer>;
  /** Releases a claimed order. Soon after the claim this is free, a few times a day; otherwise it adds a strike. */
  release: (orderId: number, reason?: string) => Promise<ReleaseAnswer>;
  dispute: (orderId: number, reason: string) => Promise<LpDisputeAnswer>;
  /** Uploads one file of at most 12 MB. Its bytes must be png, jpg, webp, gif, pdf or heic. */
  uploadReceipt: (orderId: number, file: Blob | Uint8Array) => Promise<Receipt>;
  /** Follows open orders and the LP's own orders. See `FeedOptions`. */
  orderFeed: (options?: FeedOptions) => AsyncGenerator<FeedEvent, void>;
}

/** Enough for a large file over a slow connection. */
const UPLOAD_TIMEOUT_MS = 120_000;

export function createLpClient(options: LpOptions): LpClient {
  const key = requireKey(options.key);
  const call = createTransport({ ...options, key });
  const callOnce = createTransport({ ...options, key, attempts: 1 });
  const own = `/api/lp/${encodeURIComponent(key)}`;
  const post = <Answer>(path: string, body: object = {}) => call<Answer>('POST', path, { body });
  const verb = <Answer>(name: string, orderId: number, body?: object) =>
    post<Answer>(`/api/orders/${orderId}/${name}`, body);

  return {
    dashboard: () => call('GET', `${own}/dashboard`),
    orders: (query = {}) =>
      listAll<OwnOrdersPage, OwnOrder>(call, `${own}/orders`, query, ({ orders }) => orders),
    balance: () => call('GET', `${own}/balance`),
    order: (orderId) => call('GET', `/api/orders/${orderId}`),
    publishTerms: (terms) => {
      const send = terms.float === undefined ? call : callOnce;
      return send('POST', `${own}/terms`, { body: terms });
    },
    terms: () => call('GET', `${own}/terms`),
    publishRate: (rate) => post(`${own}/rates`, rate),
    registerAsset: (asset) => post(`${own}/assets`, asset),
    deposit: (deposit) => post(`${own}/collateral/deposit`, deposit),
    confirmDeposit: (depositId, paid) => post(`${own}/collateral/${depositId}/confirm`, paid),
    withdraw: (withdrawal, { idempotencyKey = randomUUID() } = {}) =>
      call('POST', `${own}/collateral/withdraw`, { body: withdrawal, idempotencyKey }),
    setAutoClaim: (configuration) => post(`${own}/auto-claim`, configuration),
    setWebhook: (webhook) => callOnce('POST', `${own}/webhook`, { body: webhook }),
    webhook: () => call('GET', `${own}/webhook`),
    removeWebhook: () => call('DELETE', `${own}/webhook`),
    claim: (orderId) => verb('claim', orderId),
    fiatSent: (orderId) => verb('fiat-sent', orderId),
    release: (orderId, reason) => verb('release', orderId, reason === undefined ? {} : { reason }),
    dispute: (orderId, reason) => verb('dispute', orderId, { reason }),
    uploadReceipt: (orderId, file) => {
      const form = new FormData();
      form.append('order_id', String(orderId));
      form.append(
        'file',
        file instanceof Blob ? file : new Blob([file as Uint8Array<ArrayBuffer>]),
        'receipt',
      );
      return call('POST', `${own}/receipt`, { form, timeoutMs: UPLOAD_TIMEOUT_MS });
    },
    orderFeed: (feed) => orderFeed({ ...options, key }, feed),
  };
}

/**
 * Registers an LP and returns its `lp_key`. Store the key: the service shows it only once. The client does not retry this
 * call, since each call that reaches the service creates another LP.
 */
export async function registerLp(
  connection: ConnectionOptions,
  request: RegisterRequest,
): Promise<Registration> {
  return createTransport({ ...connection, attempts: 1 })('POST', '/api/lp/register', { body: request });
}
