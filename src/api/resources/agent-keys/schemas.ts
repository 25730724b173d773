import { z } from 'zod';
import { SCOPES } from '../../../domain/agent-scopes.ts';
import { changedKeyLimits, newKeyLimits } from '../../schemas/key-limits.ts';
import { keyOverlap, overlap } from '../../schemas/key-overlap.ts';
import { describeField, line, MAX_USD, usdBetween } from '../../schemas/request-fields.ts';
import { id, money, time } from '../../schemas/response-fields.ts';

const keyName = describeField(line(200), 'A name that distinguishes this key from others.');
const integratorName = describeField(line(200), 'The company that uses the key.');
const exposureCap = describeField(
  usdBetween(0, MAX_USD),
  'The limit of the agent’s unsettled orders: open ones and those with an LP, until they are completed or cancelled. Corridor refuses payments above it. `0` means no limit.',
);

const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .describe(
    `What the key may do: a list of ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. \`null\` means all.`,
  );

/** Contract: "POST /api/admin/agent-keys". */
export const agentKeyRequest = z
  .object({
    name: keyName.optional(),
    integrator_name: integratorName.optional(),
    max_exposure_usd: exposureCap
      .optional()
      .describe(
        `${exposureCap.description} Without this field, the installation’s default (DEFAULT_MAX_EXPOSURE_USD).`,
      ),
    scopes: scopes.optional().describe(`${scopes.description} Default: all.`),
    ...newKeyLimits,
  })
  .meta({ examples: [{ name: 'my shop' }] });

const issued = z.strictObject({
  id,
  api_key: z.string().describe('The secret of this agent. Shown only once.'),
  warning: z.string(),
});

const webhookSecret = z
  .string()
  .describe(
    'Signs the webhooks of this agent key in `webhook-signature`, a key of Standard Webhooks. Shown only once.',
  );

export const agentKeyResponse = issued.extend({ webhook_secret: webhookSecret });

/** An agent key in the list, without its secret. Contract: "Agent key". */
export const listedAgentKey = z.strictObject({
  id,
  name: z.string().nullable(),
  integrator_name: z.string().nullable(),
  rate_limit: z
    .number()
    .int()
    .nullable()
    .describe('Requests per minute; null: the default of the installation (AGENT_RATE_LIMIT).'),
  max_exposure_usd: money.describe('Limit of the agent’s unsettled USD; 0: no limit.'),
  is_active: z.boolean(),
  scopes: z
    .array(z.enum(SCOPES))
    .nullable()
    .describe('What the key may do; null: everything that agents may.'),
  expires_at: time.nullable(),
  allowed_ips: z.array(z.string()).nullable().describe('Where the key is accepted; null: everywhere.'),
  created_at: time,
  last_used_at: time.nullable(),
  last_used_address: z.string().nullable(),
});
export type ListedAgentKey = z.output<typeof listedAgentKey>;

const MAX_REQUESTS = 1_000_000;

/** `POST /api/admin/agent-keys/:id`: a missing field keeps its value. */
export const agentKeyUpdate = z.object({
  name: keyName.optional(),
  integrator_name: integratorName.optional(),
  rate_limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_REQUESTS)
    .nullable()
    .optional()
    .describe(
      'The limit in requests per minute, a whole number from 1 to 1,000,000. `null` means the default of the installation (AGENT_RATE_LIMIT). Without this field, the limit stays.',
    ),
  max_exposure_usd: exposureCap
    .optional()
    .describe(`${exposureCap.description} Without this field, the limit stays.`),
  scopes: scopes.nullable().optional().describe(`${scopes.description} Default: the present list.`),
  ...changedKeyLimits,
});

/** `POST /api/admin/agent-keys/:id/rotate`. */
export const rotateRequest = z.object({ overlap: keyOverlap });

export const rotateResponse = issued.extend({ old_key_expires_at: time });

/** `POST /api/admin/agent-keys/:id/rotate-webhook-secret`. */
export const webhookSecretRotation = z.object({
  overlap: describeField(overlap, 'How long the old secret also signs.'),
});

export const rotatedWebhookSecret = z.strictObject({
  id,
  webhook_secret: webhookSecret,
  warning: z.string(),
  old_secret_expires_at: time,
});
