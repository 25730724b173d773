import { errorText } from '../../http/error-responses.ts';
import { ERROR_CODES, type ErrorCode } from '../../http/errors.ts';
import { escaped, plainPage } from './plain-page.ts';

/** The meaning of each error for the caller, and the remedy. `GET /docs/errors` shows these texts. */
const HELP: Record<ErrorCode, string> = {
  validation_failed:
    'A field of the body, the query or a header is missing or has a wrong value. error.fieldErrors lists the problems of each field; error.formErrors lists those of the whole request. Nothing was changed: correct the request and send it again.',
  invalid_json: 'The body is not a JSON object, or its Content-Type is wrong. Send application/json.',
  bad_multipart: 'The upload is not multipart/form-data, or lacks a field that the route needs.',
  bad_file_type: 'Corridor determines the type by the first bytes of the file, not by its name.',
  pricing_unavailable:
    'There is no price for this token now. Use usdt or usdc, or try again when the price source is available.',
  asset_not_accepted: 'The response lists the accepted tokens and chains. The installation configures them.',
  rate_off_reference: 'Check the direction of the rate: it is units of the currency for one US dollar.',
  unknown_user: 'An admin creates users with POST /api/admin/users; user_id is the id in its response.',
  bad_rate_lock:
    'The rate lock has expired, was used before, belongs to another agent, or was made for other terms. Ask for a new one with POST /api/v1/rates.',
  bad_recipient_check:
    'The check of the recipient has expired, belongs to another agent, or is for another currency, method, institution, recipient or name. Ask for a new one with POST /api/v1/recipients/verify, or pay without it.',
  exposure_exceeded:
    'The agent’s live orders would be worth more than its limit. Settle or cancel some of them, or ask an admin to raise the limit.',
  insufficient_collateral:
    'The available collateral is less than this would lock. Deposit more, or wait until one of your orders completes.',
  no_receive_address:
    'Before its first claim an LP registers where it receives the crypto: POST /api/lp/{lp_key}/assets with the order’s token and chain.',
  corridor_not_served:
    'An LP can claim only orders of corridors for which it has terms: POST /api/lp/{lp_key}/terms with the order’s currency and method.',
  outside_terms:
    'The amount of the order is below min or above max of your terms for its corridor, or more than your float. Change them with POST /api/lp/{lp_key}/terms.',
  deposit_not_verified:
    'The transaction is not on its chain, is not final, or does not pay the announced deposit: exactly pay_to.amount in one transfer to pay_to.address, sent after the announcement. Or the search for a transfer has found none yet. The response says which.',
  payout_not_verified:
    'The transaction is not on its chain, is not final, or does not pay the withdrawal: exactly its amount in one transfer to its address, sent after the request. The response says which.',
  key_invalid:
    'Copy the whole key, without spaces: rk_live_… of an agent, lp_… of an LP, adm_live_… of an admin. It may also have expired, be deactivated, or have been replaced by a rotation: ask an admin for a new one.',
  session_required:
    'Sign in to the console, or send a key: Authorization: Bearer … A session ends when it is not used, when it gets too old, when its key ends, and when you sign out. A change needs the header X-CSRF-Token as well.',
  agent_key_required: 'Send the agent’s key: Authorization: Bearer rk_live_…',
  agent_key_invalid: 'The key is mistyped, was revoked, or was replaced and its rotation overlap has ended.',
  agent_key_inactive: 'The key was deactivated. An admin issues another one, or rotates an active one.',
  own_proposal:
    'Where money leaves, access is given or personal data is removed, two persons are needed. Ask another admin whose role has the permission to approve your proposal.',
  approval_decided:
    'A proposal can be decided once, within 24 hours. Send the original request again to propose it again.',
  agent_address_refused:
    'The key is right, but its list of allowed addresses does not have yours. Call from an allowed network, or ask an admin to change the list.',
  scope_missing:
    'The response names the scope that the key lacks. Use another key, or ask an admin to add the scope.',
  admin_key_invalid:
    'Send your admin key: Authorization: Bearer adm_live_… It may be mistyped, expired, deactivated, or replaced by a rotation whose overlap has ended.',
  admin_address_refused:
    'The key is right, but its list of allowed addresses does not have yours. Call from an allowed network, or ask an owner to change the list.',
  permission_missing:
    'The response names the permission and the roles that have it. Ask a person with such a role, or an owner to change yours.',
  lp_unauthorized:
    'Send the LP’s key as Authorization: Bearer lp_…. When the path contains a key, the two must be equal.',
  lp_not_approved:
    'An admin has not approved the LP yet, or has suspended it: the response says which. A suspended LP finishes its orders. Ask an admin.',
  not_order_owner: 'Only the LP that claimed the order may do this.',
  too_many_receipts:
    'Corridor keeps every receipt, so an LP may upload only so many for one order. The latest one counts; nothing of this upload was stored.',
  receipt_not_allowed: 'Only the LP that owns the order may upload a receipt for it.',
  not_found:
    'Nothing exists at this path, or it belongs to another caller: the response does not distinguish the two. Check the id, and that your key is the one that created it. GET /api/v1/orders lists an agent’s orders, and /docs the paths.',
  amounts_exhausted:
    'Each live order and each announced deposit of a token on a chain has its own amount, less than a cent above its price. All of these amounts are in use. Try again after Retry-After, pay with another token or chain, or announce another amount.',
  no_lp_available:
    'No approved LP that is not cooling down has terms that take this order now, with enough collateral. Try again later, or with another amount or method; in a sandbox, npm run sandbox:lp starts LPs.',
  method_not_allowed: 'The path exists for other methods: the Allow header lists them.',
  order_not_claimable:
    'Another LP was faster, the order has ended, its agent’s key has expired or was revoked, or you have released it or lost it before. Claim another one.',
  agent_exposure_exceeded:
    'An admin has lowered the limit of the order’s agent since the payment. Claim another order. This one can be claimed when the agent has settled others.',
  lp_cooling_down:
    'After a strike an LP gets no new orders for some time; its dashboard shows until when. It keeps the orders that it owns.',
  order_not_confirmed: 'Confirm the order before you settle it: POST /api/v1/confirm/{orderId}.',
  wrong_state:
    'GET /api/v1/status/{orderId} returns the order’s status, and its timeline shows how it got there.',
  order_frozen: 'An admin is investigating the order. Its deadlines stand still until an admin unfreezes it.',
  not_an_extension: 'A deadline can only move to a later time than its present one.',
  nothing_to_verify: 'The order has not been settled with a transaction.',
  not_contested:
    'Unfreeze the order without `false_evidence`: there is no LP to which a strike would belong.',
  transaction_rejected:
    'On its chain, this transaction is not the payment. Settle with another one. An order that is not settled in time becomes disputed automatically.',
  not_replaceable:
    'The order is being verified with another transaction, which is on its chain or has not been checked yet. Wait for the result of the verification. If the transaction is mistyped, settle again in a few seconds.',
  too_many_replacements:
    'An agent can replace a mistyped transaction five times. Ask an admin to name the right one.',
  slash_too_high: 'A slash can take at most the collateral that is locked for the order, minus the fee.',
  receipt_uploaded:
    'A receipt says that fiat may have been sent, so another LP must not send it again. If you sent it, call POST /api/orders/{order_id}/fiat-sent. Otherwise wait: at the deadline the order becomes disputed, and an admin decides.',
  dispute_too_early:
    'A dispute locks the LP’s collateral, so the LP first has the time of DISPUTE_AFTER (10 minutes unless the operator changed it) to send the fiat. Repeat the call after that. Once the LP has reported the fiat, you can dispute at any time.',
  float_changed:
    'An order has reserved or returned float since you read it, or another request has set it. Read your terms and try again.',
  address_taken:
    'A receive address belongs to one LP per chain, so that a payment there can only be meant for that LP. It stays with an LP that has given it up while an order is paid there, and for 30 days afterwards. Register another address. If this one is yours, ask an admin, who can take it from the other LP.',
  not_own_key:
    'You can rotate the key that you send, if it is your present one. Sessions of the console, the root key and replaced keys cannot renew themselves.',
  name_taken:
    'Records name admins, so two active admins with keys cannot have one name in any case. Write a name that no other active admin has.',
  amount_in_use:
    'A payer owes exactly this amount, for an order, a rate lock or an announced deposit, so the payout would look like that payment. Request an amount that differs by a cent. The amount of an order that ended unpaid after a claim counts for 7 more days.',
  idempotency_conflict:
    'An Idempotency-Key stands for one payment. To repeat that payment, send the same body. For another payment, use a new key.',
  transaction_used:
    'A transaction pays for one order, one deposit, one payout or one posting, and this one has paid for another. That also holds for a transaction with several transfers, as wallets that bundle payments and exchanges that pay out in batches make them. If your order is paid by such a transaction, ask an admin to resolve it.',
  deposit_expired:
    'A deposit must be paid and confirmed before its expires_at. Announce another one and pay its amount. If you have paid already, ask an admin.',
  too_many_deposits:
    'An LP can have 20 announced deposits that are neither confirmed nor expired. Confirm those that you have paid; the others expire.',
  deposit_lookups_used:
    'Each confirmation looks for a transaction on the chain, and one deposit has 200 of them. Confirm only when your transaction is final. If this deposit is paid, ask an admin.',
  delivery_pending:
    'Wait until its attempts are over. GET /api/v1/webhook-deliveries shows an agent the webhooks of its order; GET /api/admin/webhook-deliveries shows an admin all of them.',
  order_masked:
    'Corridor removes the personal data of ended orders after a time that the operator sets. Their webhooks cannot be sent again: read the order with GET /api/v1/status/{orderId}.',
  withdrawal_decided: 'An admin has already paid or rejected this withdrawal.',
  insufficient_balance:
    'No account of the ledger falls below zero. GET /api/admin/ledger/accounts shows what the accounts have.',
  balance_owed:
    'An LP’s locked balance belongs to its open orders, and its withdrawing balance to its open withdrawals. An adjustment may only move such a balance towards their sum. End the order or decide the withdrawal instead.',
  bad_request: 'The bytes are not an HTTP request, or the request does not have exactly one Host.',
  request_timeout: 'The request arrived too slowly. Send it again without pauses.',
  headers_too_large: 'The headers exceed the limit of the server. Check for a large cookie.',
  payload_too_large: 'The body exceeds the limit of the route.',
  rate_limited: 'Wait for the number of seconds in Retry-After.',
  too_many_lookups:
    'Looking at a chain costs its node work, so Corridor limits it: each approved LP has its own look-ups per minute, and all LPs that are not approved share some. Nothing was changed. Send the same call again after Retry-After.',
  origin_refused:
    'A browser sent this for a page of another site. Call from a server, or ask the operator to add the page’s origin to CORS_ORIGINS. A program that is no browser should send no Origin header.',
  too_many_connections: 'Close a connection to the order feed that you do not need, or share one.',
  paused:
    'An admin has stopped new payments and claims, in this currency, of this agent, or all, or what they need is out of order; the response says why. Nothing was changed. Send the same call again after Retry-After, payments with their Idempotency-Key. Claimed orders continue.',
  unavailable:
    'The database, Temporal or all workers are unavailable. Corridor may have carried out the call: send the same call again after Retry-After, payments with their Idempotency-Key.',
  internal:
    'A defect in Corridor. Send the operator the X-Request-Id of the response, which identifies the request in the log. You may send the same call again.',
};

/** The page that explains all errors, sorted by status. */
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
      <p>Every error response has its code in <code>X-Error-Code</code> and a link to its section here. Below each code is
        the standard text of the error; a response may have a more exact one.</p>${sections.join('')}`,
  );
}
