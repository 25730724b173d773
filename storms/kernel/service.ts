import pg from 'pg';
import type { WebhookReceiver } from '../../dev/webhook-receiver.ts';

export const ADMIN_KEY = 'faults-admin-key-of-some-length';
export const WEBHOOK_SECRET = 'faults-webhook-secret-of-some-length';

/** Short, so that abandoned orders end soon. */
export const DEADLINES = {
  CLAIM_TIMEOUT: '15s',
  FIAT_TIMEOUT: '12s',
  CONFIRM_TIMEOUT: '12s',
  SETTLE_TIMEOUT: '12s',
  VERIFY_TIMEOUT: '10s',
  // Longer outages are frequent in the harness, and each of them moves the deadlines.
  OUTAGE_THRESHOLD: '8s',
};

/** A Corridor that callers can use and whose data can be checked. */
export interface Service {
  /** The APIs' addresses for callers. */
  baseUrls: string[];
  receiver: WebhookReceiver;
  /** The receiver's address for Corridor. */
  callbackUrl: string;
  /** Corridor's database, not through a link. */
  databaseUrl: () => string;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Host and port of Temporal, not through a link. */
  temporalAddress: () => string;
  namespace: string;
}

/** Queries on a connection of their own each, because a fault may end a kept one. */
export const queryOf =
  (url: () => string): Service['query'] =>
  async (text, values = []) => {
    const client = new pg.Client({ connectionString: url() });
    // A connection that ends between two statements has no other listener. The query rejects.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  };
