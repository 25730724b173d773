export {
  type AgentClient,
  type AgentOptions,
  createAgentClient,
  type PayOptions,
  type WaitOptions,
} from './agent.ts';
export type * from './contract.ts';
export { CorridorError, type Refusal } from './errors.ts';
export { type VerifyOptions, verifyWebhook, WebhookError, type WebhookMistake } from './webhooks.ts';
