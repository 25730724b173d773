import type { WebhookReceiver } from './webhook-receiver.ts';

/** A running Corridor, and the terminal output of the program that calls it. */
export interface Context {
  baseUrl: string;
  adminKey: string;
  /** Prints a sentence that says what happens next. */
  narrate: (sentence: string) => void;
  /** Prints the evidence: one line or several. */
  print: (lines: string) => void;
  /** Receives the seconds that a call waits because of a limit. Without it, such a call fails. */
  onWait?: (seconds: number) => void;
  workflowUrl: (orderId: number) => string;
}

/** The same with a receiver for the webhooks of a story. */
export interface StoryContext extends Context {
  receiver: WebhookReceiver;
}
