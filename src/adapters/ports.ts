import type { Readable } from 'node:stream';
import type { Chain } from '../domain/assets.ts';
import type { Delivery } from '../domain/delivery.ts';
import type { PaymentTerms, Verdict } from '../domain/payment-verdict.ts';
import type { ReceivedAnswer } from '../domain/receiver-answer.ts';
import type { ResolvedRecipient } from '../domain/recipient-check.ts';

/** A payment that should be on a chain. */
export interface ExpectedPayment extends PaymentTerms {
  /** Normalised. */
  txHash: string;
  /** XRPL only: part of the recipient's address. Null: the payment must have none. */
  destinationTag: number | null;
}

/** A payment whose transaction is unknown. */
export type ExpectedTransfer = Omit<ExpectedPayment, 'txHash' | 'dueBy'>;

/** The result of a search. `txHash` is normalised. `reason` says why only the sender can name the transaction. */
export type TransferSearch =
  | { kind: 'found'; txHash: string }
  | { kind: 'not_found' }
  | { kind: 'not_searchable'; reason: string };

/** Destination tags distinguish the customers of one account, as at an exchange. */
export interface DestinationTags {
  /**
   * Reads one text that contains an address and its tag, if any. Undefined: the text is not an address of this network.
   */
  decode: (text: string) => { address: string; tag: number | null } | undefined;
  /** Writes an address and its tag as one text. */
  encode: (address: string, tag: number) => string;
  /** Whether `encode` can write this address. */
  canHaveTag: (address: string) => boolean;
  /** Whether the account refuses payments without a tag. Rejects if the chain cannot be reached. */
  areRequired: (address: string) => Promise<boolean>;
}

/** One chain on which payers can pay. */
export interface ChainVerifier {
  /** Verifies a payment within 8 s. Rejects if the chain cannot be reached. */
  verify: (payment: ExpectedPayment) => Promise<Verdict>;
  /**
   * Finds the newest transfer of exactly the amount within 8 s and a fixed number of requests. The transfer may not be final
   * yet: `verify` decides. Rejects if the chain cannot be reached.
   */
  findTransfer: (transfer: ExpectedTransfer) => Promise<TransferSearch>;
  /** The tokens that it can verify, by symbol, with the decimal places of each. Null: any token. */
  tokens: ReadonlyMap<string, number> | null;
  isAddress: (text: string) => boolean;
  /** The contracts or issuers of its tokens, which nobody can pay. */
  tokenAddresses: readonly string[];
  /** Whether a normalised text is a transaction hash of this chain. */
  isTxHash: (text: string) => boolean;
  /** The address that LPs send collateral to. Null: the chain takes none. */
  depositAddress: string | null;
  /** The destination tag of the deposit address. */
  depositTag: number | null;
  /** More addresses of the platform that hold collateral, such as a cold wallet. */
  reserveAddresses: readonly string[];
  /**
   * The balance of an address in one of the configured tokens, decimal string. Rejects if the chain cannot be reached.
   * Null: the chain is simulated and has no balances.
   */
  balance: ((address: string, symbol: string) => Promise<string>) | null;
  /** Null: addresses of the chain have no destination tags. */
  tags: DestinationTags | null;
  /** Its tokens have no value. Corridor credits a deposit without a transaction if the LP names none. */
  simulated: boolean;
}

/** The configured chains. */
export type Chains = ReadonlyMap<Chain, ChainVerifier>;

/** The prices of a source at one time. */
export interface SourcePrices {
  /** Milliseconds since 1970: the time of the prices, and until when they may be used. */
  asOf: number;
  usableUntil: number;
  /** USD for one token, by symbol in lower case. */
  cryptoUsd: ReadonlyMap<string, string>;
  /** Units for 1 USD, by currency in upper case. */
  perUsd: ReadonlyMap<string, string>;
}

/** Current prices. Undefined: unknown, or too old. */
export interface PriceSource {
  /** USD for one token, decimal string. */
  cryptoUsd: (symbol: string) => Promise<string | undefined>;
  /** Units of the currency for 1 USD, decimal string. */
  perUsd: (currency: string) => Promise<string | undefined>;
  /**
   * Asks the source for newer prices if they are due. Waits for them only while no prices are usable. Never rejects.
   */
  refresh: () => Promise<void>;
}

export interface WebhookRequest {
  url: string;
  /** Sent byte for byte. The signature covers these bytes. */
  body: string;
  headers: Record<string, string>;
}

/** A receiver's answer. `status` and `body` are null if there was none. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  body: ReceivedAnswer | null;
  durationMs: number;
}

/** Sends one webhook once. Never rejects: a missing answer is a `WebhookAnswer` too. */
export type WebhookSender = (request: WebhookRequest) => Promise<WebhookAnswer>;

/**
 * Asks for the holder of an account. `id`: the id of the check, different for each question. Never rejects: a missing
 * or unusable answer is `unavailable`.
 */
export type RecipientResolver = (
  id: string,
  question: Omit<Delivery, 'corridor_method'> & { currency: string },
) => Promise<ResolvedRecipient>;

/** A finished file on this machine. */
export interface FileToKeep {
  path: string;
  /** Bytes. */
  size: number;
  /** Media type. */
  type: string;
}

/** Stores the receipts that LPs upload. An error means that the store is unavailable. */
export interface ReceiptStore {
  /** Stores a finished file under a new key, completely or not at all. May move the file away from `path`. */
  put: (key: string, file: FileToKeep) => Promise<void>;
  /** Returns the bytes, or null if the key is unknown. */
  open: (key: string) => Promise<Readable | null>;
  /** Removes a key, if it exists. */
  remove: (key: string) => Promise<void>;
}
