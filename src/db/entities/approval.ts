import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, instant, oneOf } from './columns.ts';

export const APPROVAL_STATUSES = ['proposed', 'approved', 'rejected'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** A request of one admin that another admin has to approve before it is carried out. */
export const Approval = defineEntity({
  name: 'Approval',
  tableName: 'approval',
  checks: [
    { name: 'approval_status_check', expression: oneOf('status', APPROVAL_STATUSES) },
    {
      name: 'approval_two_persons',
      expression: `status <> 'approved' or decided_by <> proposed_by`,
    },
  ],
  properties: {
    id: id(),
    /** The method and the route, such as `POST /api/admin/orders/:id/resolve`. */
    action: p.string().length(100),
    params: p.json<Record<string, string>>(),
    query: p.json<Record<string, unknown>>(),
    /** The body as the proposer sent it. */
    body: p.json<unknown>(),
    idempotency_key: p.string().length(255).nullable(),
    /** What the dry run showed; null for a request that has none. */
    preview: p.json<Record<string, unknown>>().nullable(),
    /** `admin:3` or `admin:root`. */
    proposed_by: p.string().length(64),
    status: p.string().length(16).$type<ApprovalStatus>().default('proposed'),
    decided_by: p.string().length(64).nullable(),
    decided_at: instant().nullable(),
    /** An approver's request is carrying it out, at most until then. */
    attempt_until: instant().nullable(),
    carried_out_at: instant().nullable(),
    created_at: createdAt(),
    expires_at: instant(),
  },
});
export type Approval = InferEntity<typeof Approval>;
