import { MOST_RECEIPTS } from './receipt-type.ts';

/**
 * Every refusal that comes from the rules of the service, with its HTTP status and its standard text, and below them what it
 * means for the caller and how to go on. `GET /docs/errors` shows both. Contract: "Errors" and its "Named conditions".
 */
export const DOMAIN_ERRORS = {
  validation_failed: `400 Validation failed
    A field of the body, the query or a header is missing or has a wrong value. error.fieldErrors lists the problems of each field; error.formErrors lists those of the whole request. Nothing was changed: correct the request and send it again.`,
  bad_file_type: `400 The file must be a png, jpg, webp, gif, pdf or heic
    Corridor determines the type by the first bytes of the file, not by its name.`,
  too_many_receipts: `409 You have uploaded ${MOST_RECEIPTS} receipts for this order
    Corridor keeps every receipt, so an LP may upload only so many for one order. The latest one counts; nothing of this upload was stored.`,
  pricing_unavailable: `400 Could not calculate rate for the requested crypto symbol: use usdt or usdc
    There is no price for this token now. Use usdt or usdc, or try again when the price source is available.`,
  asset_not_accepted: `400 This token is not accepted on this chain
    The response lists the accepted tokens and chains. The installation configures them.`,
  rate_off_reference: `400 The rate is more than 10 % off the reference
    Check the direction of the rate: it is units of the currency for one US dollar.`,
  unknown_user: `400 Unknown user_id: create the user first
    An admin creates users with POST /api/admin/users; user_id is the id in its response.`,
  bad_rate_lock: `400 This rate_lock_id is not usable
    The rate lock has expired, was used before, belongs to another agent, or was made for other terms. Ask for a new one with POST /api/v1/rates.`,
  bad_recipient_check: `400 This recipient_check_id is not usable
    The check of the recipient has expired, belongs to another agent, or is for another currency, method, institution, recipient or name. Ask for a new one with POST /api/v1/recipients/verify, or pay without it.`,
  exposure_exceeded: `400 The payment would exceed this agent’s limit of unsettled USD
    The agent’s live orders would be worth more than its limit. Settle or cancel some of them, or ask an admin to raise the limit.`,
  insufficient_collateral: `400 Insufficient collateral
    The available collateral is less than this would lock. Deposit more, or wait until one of your orders completes.`,
  no_receive_address: `400 No receive address for this token: register one first
    Before its first claim an LP registers where it receives the crypto: POST /api/lp/{lp_key}/assets with the order’s token and chain.`,
  corridor_not_served: `400 You have no terms for the order’s currency and method: publish them first
    An LP can claim only orders of corridors for which it has terms: POST /api/lp/{lp_key}/terms with the order’s currency and method.`,
  outside_terms: `400 The order is outside your terms: above max or your float, or below min
    The amount of the order is below min or above max of your terms for its corridor, or more than your float. Change them with POST /api/lp/{lp_key}/terms.`,
  deposit_not_verified: `400 The deposit cannot be verified
    The transaction is not on its chain, is not final, or does not pay the announced deposit: exactly pay_to.amount in one transfer to pay_to.address, sent after the announcement. Or the search for a transfer has found none yet. The response says which.`,
  payout_not_verified: `400 The payout cannot be verified
    The transaction is not on its chain, is not final, or does not pay the withdrawal: exactly its amount in one transfer to its address, sent after the request. The response says which.`,
  key_invalid: `401 This key is not valid: copy the whole key, or ask an admin for a new one if it was replaced or has ended
    Copy the whole key, without spaces: rk_live_… of an agent, lp_… of an LP, adm_live_… of an admin. It may also have expired, be deactivated, or have been replaced by a rotation: ask an admin for a new one.`,
  session_required: `401 You are not signed in: sign in to the console with a key, or send the key as Authorization: Bearer …
    Sign in to the console, or send a key: Authorization: Bearer … A session ends when it is not used, when it gets too old, when its key ends, and when you sign out. A change needs the header X-CSRF-Token as well.`,
  agent_key_required: `403 Agent API key required
    Send the agent’s key: Authorization: Bearer rk_live_…`,
  agent_key_invalid: `403 Invalid or revoked agent API key
    The key is mistyped, was revoked, or was replaced and its rotation overlap has ended.`,
  agent_key_inactive: `409 This agent key is deactivated
    The key was deactivated. An admin issues another one, or rotates an active one.`,
  agent_address_refused: `403 This agent API key is not accepted from your address
    The key is right, but its list of allowed addresses does not have yours. Call from an allowed network, or ask an admin to change the list.`,
  scope_missing: `403 Your API key lacks the scope for this
    The response names the scope that the key lacks. Use another key, or ask an admin to add the scope.`,
  admin_key_invalid: `403 Admin key required
    Send your admin key: Authorization: Bearer adm_live_… It may be mistyped, expired, deactivated, or replaced by a rotation whose overlap has ended.`,
  admin_address_refused: `403 This admin key is not accepted from your address
    The key is right, but its list of allowed addresses does not have yours. Call from an allowed network, or ask an owner to change the list.`,
  permission_missing: `403 Your role lacks the permission for this
    The response names the permission and the roles that have it. Ask a person with such a role, or an owner to change yours.`,
  lp_unauthorized: `401 Unauthorized
    Send the LP’s key as Authorization: Bearer lp_…. When the path contains a key, the two must be equal.`,
  lp_not_approved: `403 This LP is not approved
    An admin has not approved the LP yet, or has suspended it: the response says which. A suspended LP finishes its orders. Ask an admin.`,
  not_order_owner: `403 Order not assigned to this LP
    Only the LP that claimed the order may do this.`,
  receipt_not_allowed: `403 Order not found or not assigned to this LP
    Only the LP that owns the order may upload a receipt for it.`,
  not_found: `404 Not found
    Nothing exists at this path, or it belongs to another caller: the response does not distinguish the two. Check the id, and that your key is the one that created it. GET /api/v1/orders lists an agent’s orders, and /docs the paths.`,
  no_lp_available: `404 No LP available for this currency
    No approved LP that is not cooling down has terms that take this order now, with enough collateral. Try again later, or with another amount or method; in a sandbox, npm run sandbox:lp starts LPs.`,
  amounts_exhausted: `503 No exact amount is free for this price
    Each live order and each announced deposit of a token on a chain has its own amount, less than a cent above its price. All of these amounts are in use. Try again after Retry-After, pay with another token or chain, or announce another amount.`,
  order_not_claimable: `409 Order not claimable
    Another LP was faster, the order has ended, its agent’s key has expired or was revoked, or you have released it or lost it before. Claim another one.`,
  agent_exposure_exceeded: `409 The order’s agent has reached its limit of unsettled USD
    An admin has lowered the limit of the order’s agent since the payment. Claim another order. This one can be claimed when the agent has settled others.`,
  lp_cooling_down: `409 This LP is cooling down after a strike
    After a strike an LP gets no new orders for some time; its dashboard shows until when. It keeps the orders that it owns.`,
  order_not_confirmed: `409 Order is not confirmed
    Confirm the order before you settle it: POST /api/v1/confirm/{orderId}.`,
  wrong_state: `409 The order’s status does not allow this
    GET /api/v1/status/{orderId} returns the order’s status, and its timeline shows how it got there.`,
  order_frozen: `409 This order is frozen: only an admin can let it continue
    An admin is investigating the order. Its deadlines stand still until an admin unfreezes it.`,
  not_an_extension: `409 The new deadline must be later than the present one
    A deadline can only move to a later time than its present one.`,
  nothing_to_verify: `409 The order has no transaction to verify
    The order has not been settled with a transaction.`,
  not_contested: `409 No LP has frozen this order with evidence of a payment
    Unfreeze the order without \`false_evidence\`: there is no LP to which a strike would belong.`,
  transaction_rejected: `409 Verification has already rejected this transaction
    On its chain, this transaction is not the payment. Settle with another one. An order that is not settled in time becomes disputed automatically.`,
  not_replaceable: `409 The order’s transaction can be replaced only while a check has not found it on its chain
    The order is being verified with another transaction, which is on its chain or has not been checked yet. Wait for the result of the verification. If the transaction is mistyped, settle again in a few seconds.`,
  too_many_replacements: `409 The order’s transaction has been replaced too often
    An agent can replace a mistyped transaction five times. Ask an admin to name the right one.`,
  slash_too_high: `409 The locked collateral does not cover that slash and the fee
    A slash can take at most the collateral that is locked for the order, minus the fee.`,
  receipt_uploaded: `409 The order has a receipt, so fiat may have been sent: report it as sent, or wait for the deadline
    A receipt says that fiat may have been sent, so another LP must not send it again. If you sent it, call POST /api/orders/{order_id}/fiat-sent. Otherwise wait: at the deadline the order becomes disputed, and an admin decides.`,
  dispute_too_early: `409 The LP still has time to send the fiat: an agent can dispute a claimed order some minutes after the claim
    A dispute locks the LP’s collateral, so the LP first has the time of DISPUTE_AFTER (10 minutes unless the operator changed it) to send the fiat. Repeat the call after that. Once the LP has reported the fiat, you can dispute at any time.`,
  address_taken: `409 This address belongs to another LP
    A receive address belongs to one LP per chain, so that a payment there can only be meant for that LP. It stays with an LP that has given it up while an order is paid there, and for 30 days afterwards. Register another address. If this one is yours, ask an admin, who can take it from the other LP.`,
  name_taken: `409 Another active admin has this name
    Records name admins, so two active admins with keys cannot have one name in any case. Write a name that no other active admin has.`,
  float_changed: `409 Your float is not as expected
    An order has reserved or returned float since you read it, or another request has set it. Read your terms and try again.`,
  amount_in_use: `409 A payer owes exactly this amount, or may still pay it late for an order that has ended: choose an amount that differs by a cent
    A payer owes exactly this amount, for an order, a rate lock or an announced deposit, so the payout would look like that payment. Request an amount that differs by a cent. The amount of an order that ended unpaid after a claim counts for 7 more days.`,
  idempotency_conflict: `409 This Idempotency-Key was used with another request body
    An Idempotency-Key stands for one payment. To repeat that payment, send the same body. For another payment, use a new key.`,
  transaction_used: `409 This transaction has paid something else: one transaction pays one order, deposit, payout or posting
    A transaction pays for one order, one deposit, one payout or one posting, and this one has paid for another. That also holds for a transaction with several transfers, as wallets that bundle payments and exchanges that pay out in batches make them. If your order is paid by such a transaction, ask an admin to resolve it.`,
  deposit_expired: `409 The announcement of this deposit has expired
    A deposit must be paid and confirmed before its expires_at. Announce another one and pay its amount. If you have paid already, ask an admin.`,
  too_many_deposits: `409 This LP has 20 announced deposits: confirm one, or wait until one expires
    An LP can have 20 announced deposits that are neither confirmed nor expired. Confirm those that you have paid; the others expire.`,
  deposit_lookups_used: `409 Corridor has looked for this deposit on its chain too often
    Each confirmation looks for a transaction on the chain, and one deposit has 200 of them. Confirm only when your transaction is final. If this deposit is paid, ask an admin.`,
  too_many_lookups: `429 Corridor has looked at chains too often within a minute
    Looking at a chain costs its node work, so Corridor limits it: each approved LP has its own look-ups per minute, and all LPs that are not approved share some. Nothing was changed. Send the same call again after Retry-After.`,
  delivery_pending: `409 This webhook is still being sent
    Wait until its attempts are over. GET /api/v1/webhook-deliveries shows an agent the webhooks of its order; GET /api/admin/webhook-deliveries shows an admin all of them.`,
  order_masked: `409 The personal data of this order was removed, and the bodies of its webhooks
    Corridor removes the personal data of ended orders after a time that the operator sets. Their webhooks cannot be sent again: read the order with GET /api/v1/status/{orderId}.`,
  withdrawal_decided: `409 This withdrawal is already decided
    An admin has already paid or rejected this withdrawal.`,
  own_proposal: `403 Another person must approve what you have proposed
    Where money leaves, access is given or personal data is removed, two persons are needed. Ask another admin whose role has the permission to approve your proposal.`,
  not_own_key: `409 Only the present key of an admin can be rotated here
    You can rotate the key that you send, if it is your present one. Sessions of the console, the root key and replaced keys cannot renew themselves.`,
  approval_decided: `409 This proposal already has a decision, or has expired
    A proposal can be decided once, within 24 hours. Send the original request again to propose it again.`,
  insufficient_balance: `409 The account has less than that
    No account of the ledger falls below zero. GET /api/admin/ledger/accounts shows what the accounts have.`,
  balance_owed: `409 Open orders or withdrawals account for that balance
    An LP’s locked balance belongs to its open orders, and its withdrawing balance to its open withdrawals. An adjustment may only move such a balance towards their sum. End the order or decide the withdrawal instead.`,
  paused: `503 New payments and claims are paused: repeat the same call later
    An admin has stopped new payments and claims, in this currency, of this agent, or all, or what they need is out of order; the response says why. Nothing was changed. Send the same call again after Retry-After, payments with their Idempotency-Key. Claimed orders continue.`,
  unavailable: `503 Service temporarily unavailable
    The database, Temporal or all workers are unavailable. Corridor may have carried out the call: send the same call again after Retry-After, payments with their Idempotency-Key.`,
};
export type DomainErrorCode = keyof typeof DOMAIN_ERRORS;
