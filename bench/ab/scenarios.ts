import type { Scenario } from './scenario.ts';
import { AUDIT } from './scenarios/audit.ts';
import { CHECKOUTS } from './scenarios/checkouts.ts';
import { CLAIM_COST } from './scenarios/claim-cost.ts';
import { COMMANDS } from './scenarios/commands.ts';
import { FAIRNESS } from './scenarios/fairness.ts';
import { FLOODS } from './scenarios/floods.ts';
import { MANY_ORDERS } from './scenarios/many-orders.ts';
import { MIGRATION } from './scenarios/migration.ts';
import { PAY_LIMIT } from './scenarios/pay-limit.ts';
import { READS } from './scenarios/reads.ts';
import { RECEIVERS } from './scenarios/receivers.ts';
import { TERMS } from './scenarios/terms.ts';
import { WEBHOOK_GAPS } from './scenarios/webhook-gaps.ts';

/** The questions of `npm run bench:ab`, by name. */
export const SCENARIOS: Record<string, Scenario> = {
  audit: AUDIT,
  checkouts: CHECKOUTS,
  'claim-cost': CLAIM_COST,
  commands: COMMANDS,
  fairness: FAIRNESS,
  floods: FLOODS,
  'many-orders': MANY_ORDERS,
  migration: MIGRATION,
  'pay-limit': PAY_LIMIT,
  reads: READS,
  receivers: RECEIVERS,
  terms: TERMS,
  'webhook-gaps': WEBHOOK_GAPS,
};
