import type { WebhookReceiver } from './webhook-receiver.ts';

/** Where a story plays: a running Corridor, and a receiver for its webhooks. */
export interface Stage {
  baseUrl: string;
  adminKey: string;
  receiver: WebhookReceiver;
  tell: (line: string) => void;
  workflowUrl: (orderId: number) => string;
}
