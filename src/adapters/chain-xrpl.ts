import { rippleTimeToISOTime } from 'xrpl';
import { z } from 'zod';
import { NATIVE_SYMBOLS } from '../domain/assets.ts';
import { decimal } from '../domain/money.ts';
import { invalid, judgePayment, type Transfer, type Verdict } from '../domain/payment-verdict.ts';
import { reasonOf } from '../domain/status-reasons.ts';
import { IS_ADDRESS } from './addresses.ts';
import { boundedSearch } from './bounded-search.ts';
import { boundedLook, ChainUnavailable } from './chain-unavailable.ts';
import { judgeTag, xrplTags } from './destination-tags.ts';
import { platformSenderIn } from './platform-addresses.ts';
import type { ChainVerifier, ExpectedPayment, ExpectedTransfer, TransferSearch } from './ports.ts';
import { CHAIN, createXrplRequests } from './xrpl-requests.ts';

/** Connection and tokens of the XRP Ledger. */
export interface XrplSettings {
  /** WebSocket address of a server. May contain a key. */
  rpcUrl: string;
  /** The network's id. Corridor does not trust a server of another network. */
  networkId: number;
  /** Issued currencies by symbol: three letters, or 40 hexadecimal digits in upper case. */
  tokens: Record<string, { issuer: string; currency: string }>;
  /** A classic address, or an X-address with a destination tag. */
  depositAddress: string | null;
  /** Classic addresses. */
  reserveAddresses: readonly string[];
}

const TX_HASH = /^[0-9a-f]{64}$/;
const TX_HASH_IN_ANY_CASE = /^[0-9a-f]{64}$/i;
const DROPS_PER_XRP = 1_000_000;
const XRP_DECIMALS = 6;
/** Issued amounts have 15 significant digits, which is enough for every amount that Corridor quotes. */
const ISSUED_DECIMALS = 15;

const issued = z.object({ currency: z.string(), issuer: z.string(), value: z.string() });
const Found = z.object({
  validated: z.boolean().default(false),
  ledger_index: z.number().optional(),
  close_time_iso: z.string().optional(),
  tx_json: z.object({
    TransactionType: z.string(),
    Account: z.string(),
    Destination: z.string().optional(),
    DestinationTag: z.number().optional(),
    date: z.number().optional(),
  }),
  meta: z
    .object({
      TransactionResult: z.string(),
      // A string is drops of XRP, or "unavailable".
      delivered_amount: z.union([z.string(), issued]).optional().catch(undefined),
    })
    .optional(),
});
type Found = z.output<typeof Found>;
/** A page of the transactions that concern an account, newest first. */
const Page = z.object({
  transactions: z.array(Found.extend({ hash: z.string().regex(TX_HASH_IN_ANY_CASE) })),
  marker: z.unknown().optional(),
});
const PAGE_SIZE = 200;
const MOST_PAGES = 5;
/** Results of a search by error code: for an account that does not exist yet, and for a server that cannot search. */
const UNSEARCHABLE = {
  actNotFound: { transactions: [], marker: undefined },
  unknownCmd: 'refused',
  notSupported: 'refused',
  noPermission: 'refused',
  forbidden: 'refused',
} as const;
const Account = z.object({ account_data: z.object({ Flags: z.number() }) });
/** lsfRequireDestTag. */
const REQUIRES_TAG = 0x00020000;
/** The debt between two accounts in one currency. A positive balance belongs to the low account. */
const TrustLine = z.object({
  node: z.object({
    Balance: z.object({ value: z.string() }),
    LowLimit: z.object({ issuer: z.string() }),
  }),
});
/** Verifies payments of XRP and of issued currencies in validated ledgers, by the delivered amount. */
export function createXrplVerifier(settings: XrplSettings): ChainVerifier {
  const native = NATIVE_SYMBOLS[CHAIN];
  const tags = xrplTags(settings.networkId !== 0, (address) => boundedLook(CHAIN, requiresTag(address)));
  const deposit = tags.decode(settings.depositAddress ?? '') ?? {
    address: settings.depositAddress,
    tag: null,
  };
  const { reserveAddresses } = settings;
  const addresses = { depositAddress: deposit.address, depositTag: deposit.tag, reserveAddresses };
  const platformSender = platformSenderIn(addresses, (own, sender) => own === sender);
  const ask = createXrplRequests(settings);
  return {
    tokens: new Map([
      [native, XRP_DECIMALS],
      ...Object.keys(settings.tokens).map((symbol) => [symbol, ISSUED_DECIMALS] as const),
    ]),
    isAddress: IS_ADDRESS.xrpl,
    tokenAddresses: Object.values(settings.tokens).map(({ issuer }) => issuer),
    isTxHash: (hash) => TX_HASH.test(hash),
    ...addresses,
    tags,
    balance: (address, symbol) => boundedLook(CHAIN, balanceOf(address, symbol)),
    simulated: false,
    verify: (payment) => boundedLook(CHAIN, verify(payment)),
    findTransfer: (transfer) => boundedLook(CHAIN, findTransfer(transfer)),
  };

  async function verify({ txHash, ...terms }: ExpectedPayment): Promise<Verdict> {
    if (!TX_HASH.test(txHash)) return invalid(reasonOf('not_a_transaction_hash', { chain: CHAIN }));
    const question = { command: 'tx', transaction: txHash.toUpperCase() } as const;
    const found = await ask(Found, question, { txnNotFound: null });
    return found ? judge(found, terms) : { kind: 'not_found' };
  }

  /** Searches the account's transactions, newest first. */
  function findTransfer(transfer: ExpectedTransfer): Promise<TransferSearch> {
    const { recipient: account, notBefore } = transfer;
    return boundedSearch<unknown>(MOST_PAGES, undefined, async (marker) => {
      const range = { account, ledger_index_min: -1, ledger_index_max: -1, limit: PAGE_SIZE };
      const question = {
        command: 'account_tx',
        ...range,
        ...(marker === undefined ? {} : { marker }),
      } as const;
      const page = await ask(Page, question, UNSEARCHABLE);
      if (page === 'refused') return page;
      const { transactions, marker: next } = page;
      const paid = transactions.find((one) => judge(one, { ...transfer, dueBy: null }).kind === 'verified');
      const last = transactions.at(-1);
      const isAtEnd = last !== undefined && timeOf(last) < notBefore;
      return { txHash: paid?.hash.toLowerCase(), next: isAtEnd ? undefined : next };
    });
  }

  function judge(found: Found, { destinationTag, ...terms }: Omit<ExpectedPayment, 'txHash'>): Verdict {
    const { validated, ledger_index, tx_json, meta } = found;
    if (!validated || !meta) {
      return { kind: 'pending', confirmations: `ledger ${ledger_index ?? '(none yet)'} is not validated` };
    }
    const { TransactionResult: result, delivered_amount: delivered } = meta;
    if (result !== 'tesSUCCESS') return invalid(reasonOf('transaction_failed', { failure: result }));
    const { TransactionType: type } = tx_json;
    if (type !== 'Payment') return invalid(reasonOf('not_a_payment', { type }));
    const reaches = tx_json.Destination === terms.recipient && tx_json.Account !== terms.recipient;
    const wrongTag = reaches ? judgeTag(tx_json.DestinationTag ?? null, destinationTag) : undefined;
    if (wrongTag) return wrongTag;
    const amount = deliveredOf(terms.symbol, delivered);
    const transfers: Transfer[] =
      reaches && amount ? [{ amount, platformSender: platformSender(tx_json.Account) }] : [];
    return judgePayment(terms, { at: timeOf(found), transfers });
  }

  /** The delivered amount of a token. `Amount` does not count: a partial payment may deliver almost nothing. */
  function deliveredOf(symbol: string, delivered: NonNullable<Found['meta']>['delivered_amount']) {
    if (delivered === undefined) return undefined;
    if (symbol === native) {
      const isDrops = typeof delivered === 'string' && /^\d+$/.test(delivered);
      return isDrops ? decimal(delivered).div(DROPS_PER_XRP).toFixed() : undefined;
    }
    const { issuer, currency: expected } = token(symbol);
    if (typeof delivered === 'string' || delivered.issuer !== issuer) return undefined;
    const currency = delivered.currency.length === 40 ? delivered.currency.toUpperCase() : delivered.currency;
    return currency === expected ? decimal(delivered.value).toFixed() : undefined;
  }

  /** Reads the newest validated ledger. An account without a trust line has a zero balance. */
  async function balanceOf(address: string, symbol: string): Promise<string> {
    const { issuer, currency } = token(symbol);
    const line = { accounts: [address, issuer] as [string, string], currency };
    const request = { command: 'ledger_entry', ripple_state: line, ledger_index: 'validated' } as const;
    const found = await ask(TrustLine, request, { entryNotFound: null });
    if (!found) return '0';
    const { Balance, LowLimit } = found.node;
    const balance = decimal(Balance.value);
    const own = LowLimit.issuer === address ? balance : balance.neg();
    return own.gt(0) ? own.toFixed() : '0';
  }

  function token(symbol: string) {
    const known = settings.tokens[symbol];
    if (!known) throw new ChainUnavailable(CHAIN, `no issuer of ${symbol} is configured`);
    return known;
  }

  /** An account that does not exist yet requires no tag. */
  async function requiresTag(account: string): Promise<boolean> {
    const request = { command: 'account_info', account, ledger_index: 'validated' } as const;
    const found = await ask(Account, request, { actNotFound: null });
    return found !== null && (found.account_data.Flags & REQUIRES_TAG) !== 0;
  }
}

function timeOf({ close_time_iso, tx_json }: Found): Date {
  if (close_time_iso !== undefined) return new Date(close_time_iso);
  if (tx_json.date !== undefined) return new Date(rippleTimeToISOTime(tx_json.date));
  throw new ChainUnavailable(CHAIN, 'the server does not report when the ledger closed');
}
