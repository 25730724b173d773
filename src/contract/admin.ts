import { z } from 'zod';
import { line } from './fields.ts';

/** Contract: "POST /api/admin/agent-keys". */
export const agentKeyRequest = z.object({
  name: line(200).optional(),
  integrator_name: line(200).optional(),
});

/** `POST /api/admin/users`: makes a user that payments can be created for. */
export const userRequest = z.object({ name: line(200).optional() });
