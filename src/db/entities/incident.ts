import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Chain } from '../../domain/assets.ts';
import { createdAt, id, indexesOf, instant } from './columns.ts';

/**
 * A currency, a method or a chain that is out of order: new payments and claims are paused there, and the clocks of the
 * orders that wait for it stand still. See `src/db/incidents.ts`.
 */
export const Incident = defineEntity({
  name: 'Incident',
  tableName: 'incident',
  checks: [
    {
      name: 'incident_scope',
      expression: '(currency is null) <> (chain is null) and (method is null or currency is not null)',
    },
    { name: 'incident_closed', expression: '(closed_at is null) = (closed_by is null)' },
  ],
  indexes: indexesOf(
    `create unique index "incident_open" on "incident" (coalesce(currency, ''), coalesce(method, ''), coalesce(chain, '')) where closed_at is null`,
  ),
  properties: {
    id: id(),
    currency: p.string().length(3).nullable(),
    /** Null: every method of the currency. */
    method: p.string().length(32).nullable(),
    chain: p.string().length(16).$type<Chain>().nullable(),
    reason: p.string().length(300),
    /** The clocks have stood still since then. If Corridor opened it: when the chain's node stopped answering. */
    opened_at: createdAt(),
    /** `admin:3`, `admin:root` or `service`. Corridor closes only what it opened. */
    opened_by: p.string().length(64),
    /** Since then its end moves the deadlines of its orders, some at a time. New payments and claims wait until `closed_at`. */
    closing_at: instant().nullable(),
    closed_at: instant().nullable(),
    closed_by: p.string().length(64).nullable(),
  },
});
export type Incident = InferEntity<typeof Incident>;
