import { MOST_RECEIPTS } from '../domain/receipt-type.ts';
import type { ErrorCode, ResponseError } from './errors.ts';

/** The HTTP status and standard text of every error code. Contract: "Errors" and its "Named conditions". */
const RESPONSES: Record<ErrorCode, { status: number; text: string }> = {
  validation_failed: { status: 400, text: 'Validation failed' },
  invalid_json: { status: 400, text: 'Invalid JSON' },
  bad_multipart: { status: 400, text: 'Bad multipart body' },
  bad_file_type: { status: 400, text: 'The file must be a png, jpg, webp, gif, pdf or heic' },
  pricing_unavailable: {
    status: 400,
    text: 'Could not calculate rate for the requested crypto symbol: use usdt or usdc',
  },
  asset_not_accepted: { status: 400, text: 'This token is not accepted on this chain' },
  rate_off_reference: { status: 400, text: 'The rate is more than 10 % off the reference' },
  unknown_user: { status: 400, text: 'Unknown user_id: create the user first' },
  bad_rate_lock: { status: 400, text: 'This rate_lock_id is not usable' },
  bad_recipient_check: { status: 400, text: 'This recipient_check_id is not usable' },
  exposure_exceeded: { status: 400, text: 'The payment would exceed this agent’s limit of unsettled USD' },
  insufficient_collateral: { status: 400, text: 'Insufficient collateral' },
  no_receive_address: { status: 400, text: 'No receive address for this token: register one first' },
  corridor_not_served: {
    status: 400,
    text: 'You have no terms for the order’s currency and method: publish them first',
  },
  outside_terms: {
    status: 400,
    text: 'The order is outside your terms: above max or your float, or below min',
  },
  deposit_not_verified: { status: 400, text: 'The deposit cannot be verified' },
  payout_not_verified: { status: 400, text: 'The payout cannot be verified' },
  key_invalid: {
    status: 401,
    text: 'This key is not valid: copy the whole key, or ask an admin for a new one if it was replaced or has ended',
  },
  session_required: {
    status: 401,
    text: 'You are not signed in: sign in to the console with a key, or send the key as Authorization: Bearer …',
  },
  agent_key_required: { status: 403, text: 'Agent API key required' },
  agent_key_invalid: { status: 403, text: 'Invalid or revoked agent API key' },
  agent_address_refused: { status: 403, text: 'This agent API key is not accepted from your address' },
  scope_missing: { status: 403, text: 'Your API key lacks the scope for this' },
  admin_key_invalid: { status: 403, text: 'Admin key required' },
  admin_address_refused: { status: 403, text: 'This admin key is not accepted from your address' },
  permission_missing: { status: 403, text: 'Your role lacks the permission for this' },
  lp_unauthorized: { status: 401, text: 'Unauthorized' },
  lp_not_approved: { status: 403, text: 'This LP is not approved' },
  not_order_owner: { status: 403, text: 'Order not assigned to this LP' },
  receipt_not_allowed: { status: 403, text: 'Order not found or not assigned to this LP' },
  not_found: { status: 404, text: 'Not found' },
  amounts_exhausted: { status: 503, text: 'No exact amount is free for this price' },
  no_lp_available: { status: 404, text: 'No LP available for this currency' },
  method_not_allowed: { status: 405, text: 'Method not allowed' },
  agent_key_inactive: { status: 409, text: 'This agent key is deactivated' },
  lp_cooling_down: { status: 409, text: 'This LP is cooling down after a strike' },
  agent_exposure_exceeded: {
    status: 409,
    text: 'The order’s agent has reached its limit of unsettled USD',
  },
  order_not_claimable: { status: 409, text: 'Order not claimable' },
  order_not_confirmed: { status: 409, text: 'Order is not confirmed' },
  wrong_state: { status: 409, text: 'The order’s status does not allow this' },
  order_frozen: { status: 409, text: 'This order is frozen: only an admin can let it continue' },
  not_an_extension: { status: 409, text: 'The new deadline must be later than the present one' },
  nothing_to_verify: { status: 409, text: 'The order has no transaction to verify' },
  not_contested: { status: 409, text: 'No LP has frozen this order with evidence of a payment' },
  transaction_rejected: { status: 409, text: 'Verification has already rejected this transaction' },
  not_replaceable: {
    status: 409,
    text: 'The order’s transaction can be replaced only while a check has not found it on its chain',
  },
  too_many_replacements: { status: 409, text: 'The order’s transaction has been replaced too often' },
  slash_too_high: { status: 409, text: 'The locked collateral does not cover that slash and the fee' },
  receipt_uploaded: {
    status: 409,
    text: 'The order has a receipt, so fiat may have been sent: report it as sent, or wait for the deadline',
  },
  dispute_too_early: {
    status: 409,
    text: 'The LP still has time to send the fiat: an agent can dispute a claimed order some minutes after the claim',
  },
  too_many_receipts: { status: 409, text: `You have uploaded ${MOST_RECEIPTS} receipts for this order` },
  float_changed: { status: 409, text: 'Your float is not as expected' },
  not_own_key: { status: 409, text: 'Only the present key of an admin can be rotated here' },
  name_taken: { status: 409, text: 'Another active admin has this name' },
  address_taken: { status: 409, text: 'This address belongs to another LP' },
  amount_in_use: {
    status: 409,
    text: 'A payer owes exactly this amount, or may still pay it late for an order that has ended: choose an amount that differs by a cent',
  },
  idempotency_conflict: { status: 409, text: 'This Idempotency-Key was used with another request body' },
  transaction_used: {
    status: 409,
    text: 'This transaction has paid something else: one transaction pays one order, deposit, payout or posting',
  },
  deposit_expired: { status: 409, text: 'The announcement of this deposit has expired' },
  too_many_deposits: {
    status: 409,
    text: 'This LP has 20 announced deposits: confirm one, or wait until one expires',
  },
  deposit_lookups_used: {
    status: 409,
    text: 'Corridor has looked for this deposit on its chain too often',
  },
  delivery_pending: { status: 409, text: 'This webhook is still being sent' },
  order_masked: {
    status: 409,
    text: 'The personal data of this order was removed, and the bodies of its webhooks',
  },
  own_proposal: { status: 403, text: 'Another person must approve what you have proposed' },
  approval_decided: { status: 409, text: 'This proposal already has a decision, or has expired' },
  withdrawal_decided: { status: 409, text: 'This withdrawal is already decided' },
  insufficient_balance: { status: 409, text: 'The account has less than that' },
  balance_owed: { status: 409, text: 'Open orders or withdrawals account for that balance' },
  bad_request: { status: 400, text: 'Bad request' },
  request_timeout: { status: 408, text: 'The request took too long to arrive' },
  headers_too_large: { status: 431, text: 'The headers are too large' },
  payload_too_large: { status: 413, text: 'Payload too large' },
  rate_limited: { status: 429, text: 'Too many requests' },
  too_many_lookups: { status: 429, text: 'Corridor has looked at chains too often within a minute' },
  too_many_connections: { status: 429, text: 'Too many concurrent connections for this LP key' },
  origin_refused: { status: 403, text: 'Pages of this origin may not call this' },
  paused: {
    status: 503,
    text: 'New payments and claims are paused: repeat the same call later',
  },
  unavailable: { status: 503, text: 'Service temporarily unavailable' },
  internal: { status: 500, text: 'Internal error' },
};

export interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** The status and standard text of an error code. */
export const errorText = (code: ErrorCode) => RESPONSES[code];

/** The page that explains the errors, with a section for each code. */
export const ERRORS_PATH = '/docs/errors';

/**
 * The response for a refusal: `{error}`, or `{error: {fieldErrors, formErrors}, message}` for a failed validation. Its
 * headers carry the code for programs, and a link to the page that explains it.
 */
export function errorResponse(error: ResponseError): ErrorResponse {
  const { status, text } = RESPONSES[error.code];
  const headers = {
    'x-error-code': error.code,
    link: `<${ERRORS_PATH}#${error.code}>; rel="help"`,
    ...(error.retryAfter ? { 'retry-after': String(error.retryAfter) } : {}),
  };
  const body = error.details ? { error: error.details, message: text } : { error: error.message || text };
  return { status, headers, body };
}
