import type { Logger } from 'pino';
import type { WebhookMetrics } from '../src/adapters/metrics/webhooks.ts';
import type { Chains, WebhookSender } from '../src/adapters/ports.ts';
import type { Database } from '../src/db/orm.ts';
import type { SealingSecrets } from '../src/notify/webhooks/agent-secret.ts';
import type { TreatDeps } from '../src/operations/bulk/treat-orders.ts';
import type { OutcomeChannel } from '../src/orders/outcome-channel.ts';
import type { StepSettings } from '../src/orders/steps/shared/step.ts';
import type { CommandVerifier } from '../src/orders/verify-command.ts';
import type { OrderMetrics } from '../src/process/metrics/orders.ts';

/** What the activities need from the rest of the service. */
export interface ActivityDeps {
  db: Database;
  log: Logger;
  chains: Chains;
  sendWebhook: WebhookSender;
  /** HMAC key that signs every webhook. */
  webhookSecret: string;
  /** Signs every webhook too, during a rotation of the secret. */
  secondWebhookSecret?: string | undefined;
  /** Open the agents' own webhook secrets. */
  sealing: SealingSecrets;
  verifyCommand: CommandVerifier;
  /** Notifies the waiting handlers that an outcome has been committed. */
  announce: OutcomeChannel['announce'];
  /** Sends the commands of bulk runs, as the API sends those of its callers. */
  attemptCommand: TreatDeps['attempt'];
  gateway: TreatDeps['gateway'];
  stepSettings: StepSettings;
  /** How far a chain's clock may be behind ours, in ms. */
  chainClockSkew: number;
  orderMetrics: OrderMetrics;
  webhookMetrics: WebhookMetrics;
}
