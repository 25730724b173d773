import { ERROR_CODES, type ErrorCode } from '../domain/errors.ts';
import { errorText } from './error-responses.ts';
import { plainPage } from './plain-page.ts';

/** What each refusal means for its caller, and what to do about it. `GET /docs/errors` shows them. */
const HELP: Record<ErrorCode, string> = {
  validation_failed:
    'A field of the body, the query or a header is missing, or is not what it should be. error.fieldErrors names each field with what is wrong; error.formErrors what is wrong with the whole. Nothing was changed: mend it and send it again.',
  invalid_json: 'The body is no JSON object, or its Content-Type is another. Send application/json.',
  bad_multipart: 'The upload is not multipart/form-data, or has not the fields that the route asks for.',
  bad_file_type: 'What counts is what the file is, not what it is called: its first bytes are looked at.',
  pricing_unavailable:
    'There is no price for this token now. Ask for usdt or usdc, or try again when the price source is back.',
  asset_not_accepted:
    'The answer names the tokens and chains that are taken. Which those are is set by the installation.',
  rate_off_reference: 'Check the direction of the rate: it is units of the currency for one US dollar.',
  unknown_user: 'An admin makes users with POST /api/admin/users; user_id is the number that it answers.',
  bad_rate_lock:
    'The quote has run out, was used before, is another agent’s, or was made for other terms. Ask for a new one with POST /api/v1/rates.',
  exposure_exceeded:
    'The agent’s orders that are not settled would be worth more than an admin allows. Settle some of them, or ask the admin.',
  insufficient_collateral:
    'The available collateral is less than what this locks. Pay in more, or wait until an order of yours completes.',
  no_receive_address:
    'Before an LP can claim an order it says where the crypto is to go: POST /api/lp/{lp_key}/assets for the order’s token and chain.',
  deposit_not_verified: 'The transaction is not on its chain, not final, or does not pay what was announced.',
  agent_key_required: 'Send the agent’s key: Authorization: Bearer rk_live_…',
  agent_key_invalid: 'The key is mistyped, was revoked, or was replaced and its time of grace has passed.',
  agent_key_inactive: 'The key was deactivated before. An admin makes another, or rotates an active one.',
  admin_key_invalid: 'Send the admin key of the installation: Authorization: Bearer admin_…',
  lp_unauthorized: 'Send the LP’s key as Authorization: Bearer lp_…; where the path has it, it is the same.',
  lp_not_approved: 'An admin has not approved the LP yet, or has suspended it.',
  not_order_owner: 'Only the LP that claimed the order may do this.',
  receipt_not_allowed: 'Receipts are for the LP that has the order, and for it alone.',
  not_found: 'There is nothing here, or it is somebody else’s: the two are not told apart.',
  no_lp_available:
    'No approved LP that is not cooling down has a rate for this currency now. Try again later; in a sandbox, npm run sandbox:lp brings LPs.',
  method_not_allowed: 'The path is served with another method: the Allow header names them.',
  order_not_claimable: 'Another LP was faster, or the order is over. Claim another one.',
  lp_cooling_down:
    'After a strike an LP gets no new orders for a while; its dashboard says until when. Orders that it has go on.',
  order_not_confirmed: 'An order is settled after it was confirmed: POST /api/v1/confirm/{orderId} first.',
  wrong_state: 'GET /api/v1/status/{orderId} tells where the order is, and its timeline how it came there.',
  order_frozen: 'An admin looks into the order. Its deadlines stand still until it is unfrozen.',
  not_an_extension: 'A deadline may only be moved to a later time than the one it has.',
  nothing_to_verify: 'The order has not been settled with a transaction.',
  transaction_rejected:
    'The chain has shown that this transaction is not the payment. Settle with another one; an order that is not settled in time is disputed by itself.',
  slash_too_high:
    'The answer to a dispute may take no more than the collateral that the order locks, less the fee.',
  idempotency_conflict:
    'An Idempotency-Key stands for one payment. Use a new one for another, and the same body for the same.',
  transaction_used: 'A transaction pays for one order or one deposit, and this one has paid for another.',
  delivery_pending:
    'Wait until its attempts are over: GET /api/v1/webhook-deliveries shows an agent the webhooks of its order, GET /api/admin/webhook-deliveries an admin all of them.',
  withdrawal_decided: 'Another admin has paid or refused this withdrawal.',
  bad_request: 'What came is no HTTP request, or one that names two hosts.',
  request_timeout: 'The request came too slowly. Send it again, in one piece.',
  headers_too_large: 'The headers are more than a server takes: is there a large cookie among them?',
  payload_too_large: 'The answer says how many bytes are taken.',
  rate_limited: 'Wait for as many seconds as Retry-After says.',
  too_many_connections: 'Close a connection to the order feed that is not needed, or share one.',
  unavailable:
    'The database, Temporal or all workers are away. What was asked for may have been done all the same: send the same call again after Retry-After, payments with their Idempotency-Key.',
  internal:
    'A mistake of Corridor’s. The X-Request-Id of the answer finds it in the log: tell the operator. The same call may be sent again.',
};

/** The page on all refusals, by status. */
export function errorsPage(): string {
  const all = ERROR_CODES.map((code) => ({ code, ...errorText(code), help: HELP[code] }));
  const sections = all
    .sort((a, b) => a.status - b.status)
    .map(
      ({ code, status, text, help }) => `
      <section id="${code}">
        <h2><code>${code}</code> ${status}</h2>
        <p><em>${escaped(text)}</em></p>
        <p>${escaped(help)}</p>
      </section>`,
    );
  return plainPage(
    'Corridor: errors',
    `<h1>Errors</h1>
      <p>Every answer that refuses names its code in <code>X-Error-Code</code> and links to it here. Under the code is the
        text that the answer carries where it has nothing more exact to say.</p>${sections.join('')}`,
  );
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
