/** Events about an order. The first three are the changes of the LP's feed. */
const ORDER_EVENTS = ['order.open', 'order.updated', 'order.closed', 'lp.strike'] as const;
export type OrderWebhookEvent = (typeof ORDER_EVENTS)[number];

/** Events about an LP's terms for a corridor. */
export const TERMS_EVENTS = ['lp.rate_expired', 'lp.float_low'] as const;
export type TermsWebhookEvent = (typeof TERMS_EVENTS)[number];

/** Warnings of a stolen key. They also go to the webhooks that the LP had lately: see `warned_webhook` in the schema. */
export const WARNING_EVENTS = [
  'lp.address_changed',
  'lp.webhook_changed',
  'lp.withdrawal_requested',
] as const;

/** Events without an order. Their body is written with the webhook. */
export const WRITTEN_EVENTS = [...TERMS_EVENTS, ...WARNING_EVENTS] as const;

/** The events that an LP's webhooks can report. */
export const LP_WEBHOOK_EVENTS = [...ORDER_EVENTS, ...WRITTEN_EVENTS] as const;
export type LpWebhookEvent = (typeof LP_WEBHOOK_EVENTS)[number];

/** An LP whose receiver accepts nothing for this long gets no more webhooks until it sets the URL again. */
export const STOP_AFTER_HOURS = 12;
/** The same happens if this many webhooks wait for a failing receiver. */
export const MAX_WAITING = 1_000;
