import { z } from 'zod';
import { APPROVAL_STATUSES } from '../../../db/entities/approval.ts';
import { approvalShape } from '../../schemas/approvals.ts';
import { nextCursor, pageQuery } from '../../schemas/pages.ts';
import { listValues } from '../../schemas/request-fields.ts';

/** `GET /api/admin/approvals`. */
export const approvalQuery = pageQuery.extend({
  status: z
    .enum(APPROVAL_STATUSES)
    .optional()
    .describe(`Only proposals with this status. ${listValues(APPROVAL_STATUSES)} Default: all.`),
});

export const approvalPage = z.strictObject({ approvals: z.array(approvalShape), next_cursor: nextCursor });

export const approvedResponse = z.strictObject({
  approval: approvalShape,
  result: z.record(z.string(), z.unknown()).describe('The response to the proposed request.'),
});
export const rejectedResponse = z.strictObject({ approval: approvalShape });
