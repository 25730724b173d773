import type { Readable } from 'node:stream';
import type { Chain } from '../domain/assets.ts';

/** A payment that should be on a chain. */
export interface ExpectedPayment {
  chain: Chain;
  symbol: string;
  /** Normalised. */
  txHash: string;
  recipient: string;
  /** At least this many tokens, decimal string. */
  amount: string;
}

export type Verdict =
  | { kind: 'verified' }
  /** On the chain, not yet final. */
  | { kind: 'pending'; confirmations: string }
  /** Final, and not the payment that was expected. */
  | { kind: 'invalid'; reason: string }
  | { kind: 'not_found' };

/** Tells whether a payment was made. An error means that the chain could not be asked. */
export interface ChainVerifier {
  verify: (payment: ExpectedPayment) => Promise<Verdict>;
  /** Whether collateral may be credited on the LP's word: on a simulated chain there is nothing to lose. */
  creditsUnproven: boolean;
}

export interface WebhookRequest {
  url: string;
  /** Sent byte for byte. */
  body: string;
  headers: Record<string, string>;
}

/** What a receiver answered; `status` is null when it gave no answer. */
export interface WebhookAnswer {
  status: number | null;
  error: string | null;
  durationMs: number;
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
