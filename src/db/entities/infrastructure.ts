import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant } from './columns.ts';

/** A transaction on the simulated chain. */
export const SandboxTransaction = defineEntity({
  name: 'SandboxTransaction',
  tableName: 'sandbox_transaction',
  properties: {
    chain: p.string().length(16).primary(),
    tx_hash: p.string().length(128).primary(),
    symbol: p.string().length(16),
    to: p.string().length(128),
    amount: p.decimal('string').precision(36).scale(18),
    /** When the simulated chain counts it as final. */
    final_at: instant(),
    created_at: createdAt(),
  },
});

/** The times of a caller's recent requests: an exact sliding window that all API processes share. */
export const RateWindow = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_window',
  properties: {
    key: p.string().length(200).primary(),
    hits: p.array().columnType('timestamptz[]'),
    updated_at: createdAt().index(),
  },
});
