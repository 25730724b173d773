import { randomUUID } from 'node:crypto';
import type {
  AssetRequest,
  AutoClaimRequest,
  Balance,
  ClaimAnswer,
  Dashboard,
  DepositAnswer,
  DepositRequest,
  FiatSentAnswer,
  Order,
  RateRequest,
  Receipt,
  RegisterRequest,
  Registration,
  ReleaseAnswer,
  ReplayedWithdrawal,
  Withdrawal,
  WithdrawRequest,
} from './contract.ts';
import { type FeedEvent, type FeedOptions, orderFeed } from './feed.ts';
import { type ConnectionOptions, createTransport, requireKey, type TransportOptions } from './transport.ts';

export type LpOptions = TransportOptions;

export interface WithdrawOptions {
  /** Stands for this one withdrawal, however often it is asked for. Made by the client where it is not given. */
  idempotencyKey?: string;
}

/** A liquidity provider's side. Every method throws a `CorridorError` where it is refused. */
export interface LpClient {
  /** Its terms and record, the newest open orders, and the newest that it has or had. */
  dashboard: () => Promise<Dashboard>;
  balance: () => Promise<Balance>;
  /** An order, with what only its parties see where it is this LP's. */
  order: (orderId: number) => Promise<Order>;
  /** In place of the rate for this currency, if there is one. */
  publishRate: (rate: RateRequest) => Promise<{ ok: true }>;
  /** Where payers send this token on this chain; needed before an order in it can be claimed. */
  registerAsset: (asset: AssetRequest) => Promise<{ ok: true }>;
  /** Announces collateral. It counts once it has been confirmed. */
  deposit: (deposit: DepositRequest) => Promise<DepositAnswer>;
  /** Has a deposit verified and credited. May be called again until its transaction is final. */
  confirmDeposit: (depositId: number) => Promise<{ ok: true }>;
  withdraw: (
    withdrawal: WithdrawRequest,
    options?: WithdrawOptions,
  ) => Promise<Withdrawal | ReplayedWithdrawal>;
  /** Replaces the configuration as a whole. */
  setAutoClaim: (configuration: AutoClaimRequest) => Promise<{ ok: true }>;
  /** Locks collateral. `order_not_claimable`: another was faster. */
  claim: (orderId: number) => Promise<ClaimAnswer>;
  fiatSent: (orderId: number) => Promise<FiatSentAnswer>;
  /** Gives a claimed order back. Soon after the claim it costs nothing, later it is a strike. */
  release: (orderId: number, reason?: string) => Promise<ReleaseAnswer>;
  dispute: (orderId: number, reason: string) => Promise<{ status: 'disputed' }>;
  /** One file of at most 12 MB: png, jpg, webp, gif, pdf or heic, which its bytes decide. */
  uploadReceipt: (orderId: number, file: Blob | Uint8Array) => Promise<Receipt>;
  /** What happens to open orders and to the LP's own, as it happens. See `FeedOptions`. */
  orderFeed: (options?: FeedOptions) => AsyncGenerator<FeedEvent, void>;
}

/** Of a large file over a slow line. */
const UPLOAD_TIMEOUT_MS = 120_000;

export function createLpClient(options: LpOptions): LpClient {
  const key = requireKey(options.key);
  const call = createTransport(options);
  const own = `/api/lp/${encodeURIComponent(key)}`;
  const post = <Answer>(path: string, body: object = {}, headers?: Record<string, string>) =>
    call<Answer>('POST', path, { body, ...(headers ? { headers } : {}) });
  const verb = <Answer>(name: string, orderId: number, body?: object) =>
    post<Answer>(`/api/orders/${orderId}/${name}`, body);

  return {
    dashboard: () => call('GET', `${own}/dashboard`),
    balance: () => call('GET', `${own}/balance`),
    order: (orderId) => call('GET', `/api/orders/${orderId}`),
    publishRate: (rate) => post(`${own}/rates`, rate),
    registerAsset: (asset) => post(`${own}/assets`, asset),
    deposit: (deposit) => post(`${own}/collateral/deposit`, deposit),
    confirmDeposit: (depositId) => post(`${own}/collateral/${depositId}/confirm`),
    withdraw: (withdrawal, { idempotencyKey = randomUUID() } = {}) =>
      post(`${own}/collateral/withdraw`, withdrawal, { 'idempotency-key': idempotencyKey }),
    setAutoClaim: (configuration) => post(`${own}/auto-claim`, configuration),
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
 * Makes an LP, and gives its `lp_key`, which is shown this once. Not tried again by itself: each call that arrives makes
 * another LP.
 */
export async function registerLp(
  connection: ConnectionOptions,
  request: RegisterRequest,
): Promise<Registration> {
  return createTransport({ ...connection, attempts: 1 })('POST', '/api/lp/register', { body: request });
}
