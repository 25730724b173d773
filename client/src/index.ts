export {
  type AgentClient,
  type AgentOptions,
  createAgentClient,
  type PayOptions,
  type WaitOptions,
} from './agent.ts';
export type * from './contract.ts';
export { CorridorError, type Refusal, type RefusalCode } from './errors.ts';
export type { FeedEvent, FeedOptions, FeedState } from './feed.ts';
export { createLpClient, type LpClient, type LpOptions, registerLp, type WithdrawOptions } from './lp.ts';
export type { ConnectionOptions } from './transport.ts';
export {
  type VerifyOptions,
  verifyLpWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookMistake,
} from './webhooks.ts';
