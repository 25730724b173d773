/** The state of a webhook: it is sent while `pending`, and `exhausted` when no attempt is left. */
export const DELIVERY_STATES = ['pending', 'delivered', 'exhausted'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Contract: "Webhook attempts: three". A webhook that is redelivered on request gets three more. */
export const MAX_ATTEMPTS = 3;
