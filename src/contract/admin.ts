import { z } from 'zod';
import { id, time } from './answers.ts';
import { line } from './fields.ts';

/** Contract: "POST /api/admin/agent-keys". */
export const agentKeyRequest = z
  .object({ name: line(200).optional(), integrator_name: line(200).optional() })
  .meta({ examples: [{ name: 'my shop' }] });

export const agentKeyResponse = z.strictObject({
  id,
  api_key: z.string().describe('The secret of this agent. Shown once.'),
  warning: z.string(),
});

/** Contract: "Agent key", as the list shows it. */
export const listedAgentKey = z.strictObject({
  id,
  name: z.string().nullable(),
  integrator_name: z.string().nullable(),
  rate_limit: z.number().int().nullable().describe('Requests per minute; null: no limit of its own.'),
  is_active: z.boolean(),
  created_at: time,
  last_used_at: time.nullable(),
});
export type ListedAgentKey = z.output<typeof listedAgentKey>;

/** `POST /api/admin/users`: makes a user that payments can be created for. */
export const userRequest = z.object({ name: line(200).optional() }).meta({ examples: [{ name: 'A payer' }] });

export const userResponse = z.strictObject({ id });
