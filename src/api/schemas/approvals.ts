import { z } from 'zod';
import { APPROVAL_STATUSES, type Approval } from '../../db/entities/approval.ts';
import { PERMISSIONS, type Permission } from '../../domain/permissions.ts';
import { id, time } from './response-fields.ts';

export const approvalShape = z.strictObject({
  id,
  action: z.string().describe('The method and the route of the request.'),
  params: z.record(z.string(), z.string()).describe('The ids in the path.'),
  query: z.record(z.string(), z.unknown()),
  body: z.unknown().describe('The body as the proposer sent it.'),
  preview: z.record(z.string(), z.unknown()).nullable().describe('What the dry run showed.'),
  status: z.enum(APPROVAL_STATUSES),
  permission: z
    .enum(Object.keys(PERMISSIONS) as Permission[])
    .nullable()
    .describe('What the role of the approver needs. Null: this release has no such request.'),
  proposed_by: z.string(),
  proposed_by_name: z.string().nullable().describe('Null: `root`, which is no person.'),
  decided_by: z.string().nullable(),
  decided_by_name: z.string().nullable().describe('Null: nobody has decided, or `root` has.'),
  decided_at: time.nullable(),
  carried_out_at: time
    .nullable()
    .describe(
      'Null: not carried out. If it is approved, the same admin can approve it again, and others can reject it.',
    ),
  created_at: time,
  expires_at: time.describe('From then on nobody can approve it.'),
});
export type ListedApproval = z.output<typeof approvalShape>;

/** The response to a request that needs a second admin. */
export const proposedResponse = z.strictObject({ approval: approvalShape });

/** `permission`: of the proposed request. `names`: of the admins, as `namesOf` returns them. */
export const approvalView = (
  approval: Approval,
  permission: Permission | null,
  names: ReadonlyMap<string, string>,
): ListedApproval => ({
  id: approval.id,
  action: approval.action,
  params: approval.params,
  query: approval.query,
  body: approval.body,
  preview: approval.preview ?? null,
  status: approval.status,
  permission,
  proposed_by: approval.proposed_by,
  proposed_by_name: names.get(approval.proposed_by) ?? null,
  decided_by: approval.decided_by ?? null,
  decided_by_name: names.get(approval.decided_by ?? '') ?? null,
  decided_at: approval.decided_at?.toISOString() ?? null,
  carried_out_at: approval.carried_out_at?.toISOString() ?? null,
  created_at: approval.created_at.toISOString(),
  expires_at: approval.expires_at.toISOString(),
});
