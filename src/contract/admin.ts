import { z } from 'zod';
import { LONGEST_MS, parseDuration } from '../domain/duration.ts';
import { decimal, decimalPlaces, SCALE } from '../domain/money.ts';
import { id, money, time } from './answers.ts';
import { line } from './fields.ts';
import { nextCursor } from './pages.ts';

/** Contract: "POST /api/admin/agent-keys". */
export const agentKeyRequest = z
  .object({ name: line(200).optional(), integrator_name: line(200).optional() })
  .meta({ examples: [{ name: 'my shop' }] });

export const agentKeyResponse = z.strictObject({
  id,
  api_key: z.string().describe('The secret of this agent. Shown once.'),
  warning: z.string(),
});

/** Contract: "Agent key", as the list shows it, and the limit of unsettled USD. */
export const listedAgentKey = z.strictObject({
  id,
  name: z.string().nullable(),
  integrator_name: z.string().nullable(),
  rate_limit: z.number().int().nullable().describe('Requests per minute; null: no limit of its own.'),
  max_exposure_usd: money.nullable().describe('Limit of its unsettled USD; null: no limit.'),
  is_active: z.boolean(),
  created_at: time,
  last_used_at: time.nullable(),
});
export type ListedAgentKey = z.output<typeof listedAgentKey>;

/** A cap in USD as a decimal string. Zero lets the agent finish its orders and begin no other. */
const exposureCap = z
  .number()
  .min(0)
  .max(1_000_000_000)
  .refine((n) => decimalPlaces(n) <= SCALE.usd, `must have at most ${SCALE.usd} digits after the point`)
  .transform((n) => decimal(n).toFixed());

/** `POST /api/admin/agent-keys/:id`: what is left out stays; null takes a limit away. */
export const agentKeyUpdate = z.object({
  name: line(200).optional(),
  integrator_name: line(200).optional(),
  rate_limit: z.number().int().min(1).max(1_000_000).nullable().optional(),
  max_exposure_usd: exposureCap.nullable().optional(),
});

const DEFAULT_OVERLAP = '24h';
const OVERLAP_ERROR = 'must be a duration such as 24h, or whole seconds, and at most 365d';

/** A duration string, or seconds; gives milliseconds. */
export const overlap = z
  .union([z.string(), z.number()], { error: OVERLAP_ERROR })
  .default(DEFAULT_OVERLAP)
  .transform((given, ctx) => {
    const ms = parseDuration(typeof given === 'number' ? `${given}s` : given);
    if (ms !== undefined && ms <= LONGEST_MS) return ms;
    ctx.addIssue(OVERLAP_ERROR);
    return z.NEVER;
  })
  .describe('How long the old key stays valid beside the new one: `24h`, or seconds.');

/** `POST /api/admin/agent-keys/:id/rotate`. */
export const rotateRequest = z.object({ overlap });

export const rotateResponse = agentKeyResponse.extend({ old_key_expires_at: time });

/** `POST /api/admin/users`: makes a user that payments can be created for. */
export const userRequest = z.object({ name: line(200).optional() }).meta({ examples: [{ name: 'A payer' }] });

export const userResponse = z.strictObject({ id });

/** `GET /api/admin/users`. */
export const userPage = z.strictObject({
  users: z.array(z.strictObject({ id, name: z.string().nullable(), created_at: time })),
  next_cursor: nextCursor,
});
export type UserPage = z.output<typeof userPage>;
