import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { instant } from './columns.ts';

/**
 * What somebody changed, or was refused. Append-only: only the function `append_audit` writes here, in the transaction of
 * the change. `hash` covers the row and the hash before it, so a changed, removed or inserted row breaks the chain.
 */
export const AuditEvent = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  indexes: [
    { name: 'audit_event_actor', properties: ['actor', 'id'] },
    { name: 'audit_event_object', properties: ['object', 'id'] },
    { name: 'audit_event_request', properties: ['request_id'] },
    { name: 'audit_event_at', properties: ['at'] },
  ],
  properties: {
    /** Without gaps. */
    id: p.bigint('number').primary().autoincrement(false),
    at: instant(),
    /** `admin:3`, `admin:root`, `lp:7`, `stranger`, `service`, or `database:<user>` for a change made with SQL by hand. */
    actor: p.string().length(64),
    actor_name: p.string().length(200).nullable(),
    role: p.string().length(16).nullable(),
    address: p.string().length(64).nullable(),
    request_id: p.string().length(200).nullable(),
    /** The route, the order's trigger, or `insert`, `update` or `delete`. */
    action: p.string().length(100),
    /** Such as `lp:7`; the empty text for an attempt that names none. */
    object: p.string().length(100),
    /** `done`, or the code of the refusal. */
    result: p.string().length(64),
    /** Only the columns that changed, without secrets. */
    before: p.json<Record<string, unknown>>().nullable(),
    after: p.json<Record<string, unknown>>().nullable(),
    reason: p.string().length(500).nullable(),
    hash: p.blob().$type<Buffer>().length(32),
  },
});
export type AuditEvent = InferEntity<typeof AuditEvent>;
