import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../docs/generate/openapi-document.ts';
import { errorsPage } from '../../src/api/pages/errors.ts';
import { DOMAIN_ERRORS, type DomainErrorCode } from '../../src/domain/error-codes.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { errorResponse } from '../../src/http/error-responses.ts';
import { ERROR_CODES, type ErrorCode, HttpError } from '../../src/http/errors.ts';

/** The status of each refusal. */
const STATUSES: Record<ErrorCode, number> = {
  validation_failed: 400,
  invalid_json: 400,
  bad_multipart: 400,
  bad_file_type: 400,
  pricing_unavailable: 400,
  asset_not_accepted: 400,
  rate_off_reference: 400,
  unknown_user: 400,
  amounts_exhausted: 503,
  amount_in_use: 409,
  name_taken: 409,
  not_own_key: 409,
  bad_rate_lock: 400,
  bad_recipient_check: 400,
  exposure_exceeded: 400,
  insufficient_collateral: 400,
  no_receive_address: 400,
  corridor_not_served: 400,
  outside_terms: 400,
  deposit_not_verified: 400,
  payout_not_verified: 400,
  agent_key_required: 403,
  agent_key_invalid: 403,
  key_invalid: 401,
  session_required: 401,
  admin_key_invalid: 403,
  admin_address_refused: 403,
  own_proposal: 403,
  approval_decided: 409,
  agent_address_refused: 403,
  scope_missing: 403,
  permission_missing: 403,
  lp_unauthorized: 401,
  lp_not_approved: 403,
  not_order_owner: 403,
  receipt_not_allowed: 403,
  not_found: 404,
  no_lp_available: 404,
  method_not_allowed: 405,
  agent_key_inactive: 409,
  agent_exposure_exceeded: 409,
  order_not_claimable: 409,
  lp_cooling_down: 409,
  order_not_confirmed: 409,
  wrong_state: 409,
  order_frozen: 409,
  not_an_extension: 409,
  nothing_to_verify: 409,
  not_contested: 409,
  transaction_rejected: 409,
  not_replaceable: 409,
  too_many_replacements: 409,
  slash_too_high: 409,
  receipt_uploaded: 409,
  dispute_too_early: 409,
  address_taken: 409,
  float_changed: 409,
  too_many_receipts: 409,
  idempotency_conflict: 409,
  transaction_used: 409,
  deposit_expired: 409,
  too_many_deposits: 409,
  deposit_lookups_used: 409,
  too_many_lookups: 429,
  delivery_pending: 409,
  order_masked: 409,
  withdrawal_decided: 409,
  insufficient_balance: 409,
  balance_owed: 409,
  bad_request: 400,
  request_timeout: 408,
  headers_too_large: 431,
  payload_too_large: 413,
  rate_limited: 429,
  too_many_connections: 429,
  origin_refused: 403,
  paused: 503,
  unavailable: 503,
  internal: 500,
};

const refusal = (code: ErrorCode) => (isDomainCode(code) ? new DomainError(code) : new HttpError(code));
const isDomainCode = (code: ErrorCode): code is DomainErrorCode => code in DOMAIN_ERRORS;

describe('the response to a refusal', () => {
  test.each(ERROR_CODES)('%s has the status of the contract and a text of its own', (code) => {
    const { status, headers, body } = errorResponse(refusal(code));
    expect(status).toBe(STATUSES[code]);
    expect(headers).toEqual({ 'x-error-code': code, link: `</docs/errors#${code}>; rel="help"` });
    expect(body).toEqual({ error: expect.stringMatching(/^[A-Z].{6,}/) });
  });

  test('has a different text for every refusal', () => {
    const texts = ERROR_CODES.map((code) => JSON.stringify(errorResponse(refusal(code)).body));
    expect(new Set(texts).size).toBe(ERROR_CODES.length);
  });

  test.each([
    ['order_not_claimable', 'Order not claimable'],
    ['no_lp_available', 'No LP available for this currency'],
    ['insufficient_collateral', 'Insufficient collateral'],
    ['not_order_owner', 'Order not assigned to this LP'],
    ['invalid_json', 'Invalid JSON'],
    ['receipt_not_allowed', 'Order not found or not assigned to this LP'],
    ['agent_key_required', 'Agent API key required'],
  ] as const)('%s says "%s"', (code, text) => {
    expect(errorResponse(refusal(code)).body).toEqual({ error: text });
  });

  test('has the specific message if there is one', () => {
    const error = new DomainError('unknown_user', 'Unknown user_id 12: create the user first');
    expect(errorResponse(error).body).toEqual({ error: 'Unknown user_id 12: create the user first' });
  });

  test('names the invalid fields, next to a message', () => {
    const details = { fieldErrors: { amount: ['must be positive'] }, formErrors: ['unknown body'] };
    const { status, body } = errorResponse(new DomainError('validation_failed', undefined, { details }));
    expect(status).toBe(400);
    expect(body).toEqual({ error: details, message: 'Validation failed' });
  });

  test('states when to retry', () => {
    const { status, headers } = errorResponse(new HttpError('rate_limited', undefined, { retryAfter: 17 }));
    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'retry-after': '17' });
  });

  test('does not show the cause of a failure', () => {
    const cause = new Error('password authentication failed for user corridor');
    const response = errorResponse(new DomainError('unavailable', undefined, { retryAfter: 2, cause }));
    expect(response.body).toEqual({ error: 'Service temporarily unavailable' });
    expect(JSON.stringify(response)).not.toContain('password');
  });
});

describe('the page on errors', () => {
  const page = errorsPage();

  test.each(ERROR_CODES)('has a section on %s, with what to do', (code) => {
    const [, section = ''] = page.split(`<section id="${code}">`);
    const [, text, help] = /<em>([^<]+)<\/em><\/p>\s*<p>([^<]+)<\/p>/.exec(section) ?? [];
    expect(text).toMatch(/^[A-Z].{6,}/);
    expect(help).toMatch(/^.{20,}[.?…]$/s);
  });

  test('links to no route that does not exist', async () => {
    const { paths } = await openApiDocument();
    const routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const named = page.match(/\b(GET|POST|PUT|PATCH|DELETE) [^\s.:,;<]+/g) ?? [];
    expect(named).not.toEqual([]);
    expect(named.filter((route) => !routes.includes(route))).toEqual([]);
  });

  test('contains nothing that its security policy would block', () => {
    expect(page).not.toMatch(/<script|style=|\son\w+=|https?:/);
  });
});
