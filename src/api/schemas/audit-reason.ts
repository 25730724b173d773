import { z } from 'zod';
import { describeField, line } from './request-fields.ts';

/** Why an admin ends somebody's access, as a body or a query. */
export const auditReason = z
  .object({
    reason: describeField(
      line(300),
      'Why, for the audit, which keeps it for good: no names, numbers or keys of people. Default: no reason.',
    ).optional(),
  })
  .meta({ examples: [{ reason: 'Its phone was stolen' }] });
