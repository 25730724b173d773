import type { Chains, WebhookSender } from '../src/adapters/ports.ts';
import type { Database } from '../src/db/orm.ts';
import type { StepName } from '../src/domain/order-state.ts';
import type { StepInput, StepReport } from '../src/domain/steps.ts';
import type { OrderMetrics } from '../src/metrics/orders.ts';
import type { WebhookMetrics } from '../src/metrics/webhooks.ts';

/** What the activities need from the outside. */
export interface ActivityDeps {
  db: Database;
  chains: Chains;
  sendWebhook: WebhookSender;
  /** Key of the HMAC that every webhook is signed with. */
  webhookSecret: string;
  /** Webhooks are signed with it, too, while one secret replaces another. */
  secondWebhookSecret?: string | undefined;
  /** Tells the waiting handlers that an outcome has been committed. */
  announce: (requestId: string) => void;
  /** The first cool-down after a strike, in ms. */
  strikeCoolDown: number;
  orderMetrics: OrderMetrics;
  webhookMetrics: WebhookMetrics;
}

/** Makes the activity of one step. */
export type PerformStep = (step: StepName) => (input: StepInput) => Promise<StepReport>;
