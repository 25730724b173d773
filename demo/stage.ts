import type { WebhookReceiver } from './webhook-receiver.ts';

/** Where a story plays: a running Corridor, a receiver for its webhooks, and somebody who listens. */
export interface Stage {
  baseUrl: string;
  adminKey: string;
  receiver: WebhookReceiver;
  /** A sentence of the story. */
  tell: (sentence: string) => void;
  /** What can be seen of it; may have several lines. */
  show: (lines: string) => void;
  workflowUrl: (orderId: number) => string;
}
