import type { Database } from '../db/orm.ts';
import { run, statement } from '../db/statement.ts';
import type { Verdict } from '../domain/payment-verdict.ts';
import { reasonText } from '../domain/status-reasons.ts';

/** The verification that a check of the chain belongs to: this version of the order, with this transaction. */
export interface Verification {
  orderId: number;
  version: number;
  chain: string;
  /** Normalised. */
  txHash: string;
}

/**
 * A verdict replaces the result of an earlier check, but not another verdict. The same statement reserves a verified
 * transaction for the order, unless an order, a deposit or a payout has it. It waits for a concurrent reservation.
 */
export const RECORD_VERDICT = statement(
  'verdict-record',
  `
with verdict as (
  insert into payment_verdict (order_id, version, chain, tx_hash, kind, seen)
  select id, version, crypto_chain, $txHash, $kind, $seen from orders
  where id = $orderId and version = $version and crypto_chain = $chain and status = 'crypto_verify_pending'
  on conflict (order_id, version) do update set kind = excluded.kind, seen = excluded.seen
  where payment_verdict.kind in ('not_found', 'pending') or payment_verdict.kind = excluded.kind
  returning *
),
reserved as (
  insert into chain_transaction (chain, tx_hash, order_id)
  select chain, tx_hash, order_id from verdict where kind = 'verified'
  on conflict (chain, tx_hash) do update set order_id = excluded.order_id
  where chain_transaction.order_id = excluded.order_id
  returning order_id
)
select (select count(*) from reserved)::int as reserved from verdict`,
);

/**
 * The result of recording a check. `superseded`: the order has moved since the check began, so that the check does not
 * count.
 */
export type RecordedVerdict = 'recorded' | 'transaction_used' | 'superseded';

/** Records what a check of the chain saw, and reserves a verified transaction for the order. Steps rely on these rows. */
export async function recordVerdict(
  db: Database,
  { orderId, version, chain, txHash }: Verification,
  verdict: Verdict,
): Promise<RecordedVerdict> {
  const { kind } = verdict;
  const given = { orderId, version, chain, txHash, kind, seen: seenOf(verdict) };
  const [row] = await run<{ reserved: number }>(db, RECORD_VERDICT, given);
  if (!row) return 'superseded';
  return kind === 'verified' && row.reserved === 0 ? 'transaction_used' : 'recorded';
}

const MAX_SEEN_LENGTH = 500;

function seenOf(verdict: Verdict): string | null {
  if (verdict.kind === 'not_found') return null;
  if (verdict.kind === 'pending') return verdict.confirmations.slice(0, MAX_SEEN_LENGTH);
  return (verdict.kind === 'invalid' ? reasonText(verdict.reason) : `It pays ${verdict.paid}`).slice(
    0,
    MAX_SEEN_LENGTH,
  );
}
