/** What has become of a webhook. It is sent while `pending`; `exhausted` when its attempts were used up. */
export const DELIVERY_STATES = ['pending', 'delivered', 'exhausted'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Contract: "Webhook attempts: three". Sent again on request, a webhook gets as many anew. */
export const MAX_ATTEMPTS = 3;
