import type { Guard } from '../guard.ts';
import { ADDRESS_GUARDS } from './addresses.ts';
import { AGENT_WEBHOOK_GUARDS } from './agent-webhooks.ts';
import { BULK_GUARDS } from './bulk.ts';
import { CHECK_GUARDS } from './check-constraints.ts';
import { CLAIMS } from './claims.ts';
import { COMMANDS } from './commands.ts';
import { CORRIDOR_GUARDS } from './corridors.ts';
import { DEPOSITS } from './deposits.ts';
import { FAIR_DEALING } from './fair-dealing.ts';
import { FLOODS } from './floods.ts';
import { INCIDENT_GUARDS } from './incidents.ts';
import { LOOKUPS } from './lookups.ts';
import { LP_WEBHOOK_GUARDS } from './lp-webhooks.ts';
import { PAYMENTS } from './payments.ts';
import { PERSONS } from './persons.ts';
import { PUBLISHED_TERMS_GUARDS } from './published-terms.ts';
import { QUOTE_GUARDS } from './quotes.ts';
import { RECIPIENT_GUARDS } from './recipients.ts';
import { RESERVES } from './reserves.ts';
import { ROLE_GUARDS } from './roles.ts';
import { SESSION_GUARDS } from './sessions.ts';
import { SETTLEMENTS } from './settlements.ts';
import { STATES } from './states.ts';
import { STEP_CONDITIONS } from './step-conditions.ts';
import { TERMS_GUARDS } from './terms.ts';
import { TRANSFERS } from './transfers.ts';

/**
 * Every guard of the money path whose attack `npm run test:guards` proves. A row is a guard's name, its text, what replaces it, and the
 * test that must then fail. The formatter leaves this folder alone, because it would give each of the four a line.
 */
export const GUARDS: readonly Guard[] = [
  ...STEP_CONDITIONS,
  ...CHECK_GUARDS,
  ...CLAIMS,
  ...QUOTE_GUARDS,
  ...PUBLISHED_TERMS_GUARDS,
  ...TERMS_GUARDS,
  ...PAYMENTS,
  ...COMMANDS,
  ...BULK_GUARDS,
  ...STATES,
  ...FAIR_DEALING,
  ...INCIDENT_GUARDS,
  ...SETTLEMENTS,
  ...TRANSFERS,
  ...ADDRESS_GUARDS,
  ...RESERVES,
  ...DEPOSITS,
  ...LOOKUPS,
  ...CORRIDOR_GUARDS,
  ...RECIPIENT_GUARDS,
  ...LP_WEBHOOK_GUARDS,
  ...AGENT_WEBHOOK_GUARDS,
  ...PERSONS,
  ...SESSION_GUARDS,
  ...ROLE_GUARDS,
  ...FLOODS,
];
