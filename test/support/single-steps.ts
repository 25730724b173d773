/** The steps of an order, one call each: for tests of what Corridor answers when it cannot carry out a step. */
import type { Call } from '../../dev/http-client.ts';

type Caller = { call: Call };

export const claim = (lp: Caller, orderId: number) => lp.call('POST', `/api/orders/${orderId}/claim`, {});
export const fiatSent = (lp: Caller, orderId: number) =>
  lp.call('POST', `/api/orders/${orderId}/fiat-sent`, {});
export const confirm = (agent: Caller, orderId: number) =>
  agent.call('POST', `/api/v1/confirm/${orderId}`, {});
export const settle = (agent: Caller, orderId: number, tx_hash: string) =>
  agent.call('POST', `/api/v1/settle/${orderId}`, { tx_hash });
export const cancel = (agent: Caller, orderId: number, body: object = {}) =>
  agent.call('POST', `/api/v1/cancel/${orderId}`, body);
export const release = (lp: Caller, orderId: number, body: object = {}) =>
  lp.call('POST', `/api/orders/${orderId}/release`, body);
/** Opens a dispute as the agent. */
export const dispute = (agent: Caller, orderId: number) =>
  agent.call('POST', `/api/v1/dispute/${orderId}`, { reason: 'Nothing has arrived' });
/** Opens a dispute as the LP that has the order, or contests its loss as the LP that had it. */
export const disputeByLp = (lp: Caller, orderId: number, reason = 'I have paid') =>
  lp.call('POST', `/api/orders/${orderId}/dispute`, { reason });
/** Sends an admin's command on an order. */
export const adminDoes = (admin: Call, verb: string, orderId: number, body: object = {}) =>
  admin('POST', `/api/admin/orders/${orderId}/${verb}`, { reason: 'The operator looked into it', ...body });
