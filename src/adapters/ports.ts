import type { Readable } from 'node:stream';
import type { Chain } from '../domain/assets.ts';
import type { PaymentTerms, Verdict } from '../domain/payment-verdict.ts';

/** A payment that should be on a chain. */
export interface ExpectedPayment extends PaymentTerms {
  /** Normalised. */
  txHash: string;
}

/** One chain as Corridor can be paid on it. */
export interface ChainVerifier {
  /** Tells whether a payment was made, within 8 s. An error means that the chain could not be asked. */
  verify: (payment: ExpectedPayment) => Promise<Verdict>;
  /** The tokens that it can verify, by symbol, with the digits after the point that each has; null: whatever is named. */
  tokens: ReadonlyMap<string, number> | null;
  isAddress: (text: string) => boolean;
  /** Of a normalised hash. */
  isTxHash: (text: string) => boolean;
  /** Where LPs send collateral; null: nowhere. */
  depositAddress: string | null;
  /** Nothing on it is worth anything: collateral is credited on the LP's word. */
  simulated: boolean;
}

/** The chains that Corridor can be paid on here. */
export type Chains = ReadonlyMap<Chain, ChainVerifier>;

/** What tokens and currencies are worth at the moment. Undefined: not known, or known too long ago. */
export interface PriceSource {
  /** USD for one token, decimal string. */
  cryptoUsd: (symbol: string) => Promise<string | undefined>;
  /** Units of the currency for 1 USD, decimal string. */
  perUsd: (currency: string) => Promise<string | undefined>;
}

export interface WebhookRequest {
  url: string;
  /** Sent byte for byte. */
  body: string;
  headers: Record<string, string>;
  /** Cuts the exchange off sooner than a receiver is to be given up. */
  withinMs?: number | undefined;
}

/** What a receiver answered; `status` is null when it gave no answer. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  durationMs: number;
  /** `withinMs` was over before there was an answer: that says nothing of the receiver. */
  cutOff: boolean;
}

/** Sends one webhook once. Never throws: a receiver that is away is an answer too. */
export type WebhookSender = (request: WebhookRequest) => Promise<WebhookAnswer>;

/** A finished file on this machine. */
export interface FileToKeep {
  path: string;
  /** Bytes. */
  size: number;
  /** Media type. */
  type: string;
}

/** Keeps the receipts that LPs upload. An error means that the store cannot be used at the moment. */
export interface ReceiptStore {
  /** Keeps a finished file under a new key, all of it or nothing. May take the file away from `path`. */
  put: (key: string, file: FileToKeep) => Promise<void>;
  /** The bytes; null when there are none under this key. */
  open: (key: string) => Promise<Readable | null>;
  /** Forgets a key, if it was there. */
  remove: (key: string) => Promise<void>;
}
