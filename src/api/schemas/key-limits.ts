import { networks } from './networks.ts';
import { describeField, instant } from './request-fields.ts';

/** A key that has ended already would be a mistake in the date: to end a key now, its route deactivates it. */
const expiry = describeField(
  instant.refine((at) => at.getTime() > Date.now(), 'must be in the future: to end a key now, deactivate it'),
  'From then on the key is refused. In the future.',
);
const PLACES = `Where the key is accepted. ${networks.description}`;

/** When and from where a new key is accepted: of an admin or of an agent. */
export const newKeyLimits = {
  expires_at: expiry.optional().describe(`${expiry.description} Default: the key does not expire.`),
  allowed_ips: networks.optional().describe(`${PLACES} Default: all addresses.`),
};

/** The same for an existing key: a missing field keeps its value, and null ends the limit. */
export const changedKeyLimits = {
  expires_at: expiry
    .nullable()
    .optional()
    .describe(`${expiry.description} \`null\`: the key does not expire. Default: the present time.`),
  allowed_ips: networks.nullable().optional().describe(`${PLACES} Default: the present list.`),
};
