import type { WebhookReceiver } from './webhook-receiver.ts';

/** A running Corridor, and somebody who listens to what happens on it. */
export interface Scene {
  baseUrl: string;
  adminKey: string;
  /** A sentence of the story. */
  tell: (sentence: string) => void;
  /** What can be seen of it; may have several lines. */
  show: (lines: string) => void;
  workflowUrl: (orderId: number) => string;
}

/** Where a story plays: a scene, with a receiver for its webhooks. */
export interface Stage extends Scene {
  receiver: WebhookReceiver;
}
