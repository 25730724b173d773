import { networks } from './networks.ts';
import { describeField, instant } from './request-fields.ts';

const expiry = describeField(instant, 'From then on the key is refused.');
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
