import { z } from 'zod';
import { money } from '../../schemas/response-fields.ts';
import { listedAgentKey } from '../agent-keys/schemas.ts';

const {
  id,
  name,
  integrator_name,
  scopes,
  expires_at,
  allowed_ips,
  created_at,
  last_used_at,
  last_used_address,
} = listedAgentKey.shape;

/** `GET /api/v1/key`: an agent's own key, without its secrets. */
export const ownKey = z.strictObject({
  ...{ id, name, integrator_name, scopes },
  expires_at: expires_at.describe('From then on the key is refused; null: it does not expire.'),
  ...{ allowed_ips, created_at },
  last_used_at: last_used_at.describe(
    'When the key itself was sent before this request, to the minute. A sign-in to the console counts, and what its pages then read does not.',
  ),
  last_used_address: last_used_address.describe('From where that was.'),
  requests_per_minute: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('How many requests the key may make within a minute; null: any number.'),
  exposure: z
    .strictObject({
      limit_usd: money.nullable().describe('Corridor refuses payments above it; null: no limit.'),
      used_usd: money.describe('The value of the live orders: open ones and those with an LP.'),
      left_usd: money.nullable().describe('What new payments may be worth now; null: no limit.'),
    })
    .describe('The agent’s unsettled USD.'),
});
export type OwnKey = z.output<typeof ownKey>;
