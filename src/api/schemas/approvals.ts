import { z } from 'zod';
import { APPROVAL_STATUSES, type Approval } from '../../db/entities/approval.ts';
import { id, time } from './response-fields.ts';

export const approvalShape = z.strictObject({
  id,
  action: z.string().describe('The method and the route of the request.'),
  params: z.record(z.string(), z.string()).describe('The ids in the path.'),
  query: z.record(z.string(), z.unknown()),
  body: z.unknown().describe('The body as the proposer sent it.'),
  preview: z.record(z.string(), z.unknown()).nullable().describe('What the dry run showed.'),
  status: z.enum(APPROVAL_STATUSES),
  proposed_by: z.string(),
  decided_by: z.string().nullable(),
  decided_at: time.nullable(),
  created_at: time,
  expires_at: time.describe('From then on nobody can approve it.'),
});
export type ListedApproval = z.output<typeof approvalShape>;

/** The response to a request that needs a second admin. */
export const proposedResponse = z.strictObject({ approval: approvalShape });

export const approvalView = (approval: Approval): ListedApproval => ({
  id: approval.id,
  action: approval.action,
  params: approval.params,
  query: approval.query,
  body: approval.body,
  preview: approval.preview ?? null,
  status: approval.status,
  proposed_by: approval.proposed_by,
  decided_by: approval.decided_by ?? null,
  decided_at: approval.decided_at?.toISOString() ?? null,
  created_at: approval.created_at.toISOString(),
  expires_at: approval.expires_at.toISOString(),
});
