import { inFile } from '../guard.ts';

const SILENCED = 'test/attacks/silenced-webhooks.test.ts';

/** The content of LPs' webhooks, and control over them. */
export const LP_WEBHOOK_GUARDS = [
  ...inFile('client/src/webhooks.ts', 'test/client/lp.test.ts', [
    ['lp webhook: a signature without a time proves nothing', 'headers: Object.fromEntries(standard)',
      'headers: standard.length === 0 ? {} : options.headers', 'webhooks arrive and verify']]),
  ...inFile('src/api/schemas/webhook-url.ts', 'test/attacks/lp-webhook-urls.test.ts', [
    ['lp webhook: https only', 'protocol: allowHttp ? /^https?$/ : /^https$/,', 'protocol: /^https?$/,',
      'an LP’s webhooks refuse the URL']]),
  ...inFile('src/notify/feed/messages.ts', 'test/attacks/lp-webhooks.test.ts', [
    ['lp webhook: offers only to approved LPs, at the time of the attempt',
      'market.approved && (currencies.length', '(currencies.length',
      'that is suspended after an event does not receive it'],
    ['lp webhook: the recipient only for the present owner', 'if (payee?.lpId !== lpId) return {};',
      'if (!payee) return {};', 'that has lost an order does not learn its recipient'],
    ['lp webhook: only the tokens that the LP takes', 'assets.length === 0 || assets',
      'assets.length >= 0 || assets', 'without an address for the token receives nothing']]),
  ...inFile('src/notify/feed/messages.ts', 'test/api/feed-terms.test.ts', [
    ['lp webhook: only orders that the LP’s terms take, as on its socket',
      'if (!takes(ownTerms, snapshot.amount_fiat) || !takesToken(', 'if (!takesToken(',
      'an LP that changes its limits is offered only orders within them']]),
  ...inFile('src/notify/feed/subscription.ts', 'test/api/feed-terms.test.ts', [
    ['lp webhook: an open socket learns of changed terms', '    if (lp?.market) market = lp.market;\n', '',
      'an LP that stops quoting is offered no orders']]),
  ...inFile('src/notify/lp-webhooks/queue-terms-events.ts', 'test/db/lp-terms-webhooks.test.ts', [
    ['lp webhook: each expiry of a rate is reported once',
      'quoting and expiry_reported is distinct from valid_until and valid_until <= now()',
      'quoting and valid_until <= now()', 'each expiry of a rate is reported once'],
    ['lp webhook: a low float is reported once until it is no longer low',
      'quoting and float_is_low and not float_low_reported', 'quoting and float_is_low',
      'a low float is reported once']]),
  ...inFile('src/notify/webhooks/redeliver.ts', 'test/attacks/lp-webhooks.test.ts', [
    ['lp webhook: an agent does not redeliver it',
      "    if (whose !== 'anybody') throw new DomainError('not_found');\n", '',
      'gets three POSTs with the same id and bytes']]),
  ...inFile('src/notify/webhooks/list-deliveries.ts', 'test/attacks/lp-webhooks.test.ts', [
    ['lp webhook: an agent does not see it', 'withAttempts(db, { order_id: orderId, lp_id: null });',
      'withAttempts(db, { order_id: orderId });', 'gets three POSTs with the same id and bytes']]),
  ...inFile('src/notify/lp-webhooks/active.ts', 'test/attacks/lp-webhooks.test.ts', [
    ['lp webhook: a replaced secret signs for its overlap only',
      'case when hook.previous_expires_at > now() then hook.previous_secret end as previous',
      'hook.previous_secret as previous', 'signs beside its successor for the overlap']]),
  ...inFile('src/notify/lp-webhooks/record-outcome.ts', 'test/attacks/lp-webhooks.test.ts', [
    ['lp webhook: a receiver that fails for too long is stopped',
      "failing_since < now() - interval '${STOP_AFTER_HOURS} hours' or (",
      "failing_since < now() - interval '${STOP_AFTER_HOURS} years' or (", 'is stopped after a long time']]),
  ...inFile('src/notify/lp-webhooks/queue.ts', 'test/system/faults/crash-lp-webhook.test.ts', [
    ['lp webhook: the webhooks and the reader’s position in one statement',
      'const drafts = await draftsOf(db, events, await readHooks());',
      "const drafts = await draftsOf(db, events, await readHooks());\n  await db.query('early', 'insert into feed_cursor values ($1, $2::xid8, $3, $4) on conflict (reader) do update set xid = excluded.xid, order_id = excluded.order_id, seq = excluded.seq', [READER, next.xid, next.orderId, next.seq]);\n  Object.assign(known, next);",
      'the LP has received each event']]),
  ...inFile('src/notify/lp-webhooks/queue.ts', 'test/db/lp-webhooks.test.ts', [
    ['lp webhook: one of several readers writes',
      'where (known.xid, known.order_id, known.seq) = ($5::xid8, $6::bigint, $7::int)',
      'where ($5::xid8, $6::bigint, $7::int) is not null',
      'several concurrent readers write each webhook once']]),
  ...inFile('src/operations/upkeep/jobs/prune.ts', 'test/db/lp-webhooks.test.ts', [
    ['lp webhook: agents’ webhooks are kept', 'd.lp_id is not null and d.finished_at', 'd.finished_at',
      'upkeep deletes only old webhooks of LPs and those that nobody will send'],
    ['lp webhook: one that nobody will send does not keep its order from being masked',
      "d.lp_id is not null and d.state = 'pending' and d.url is null", 'false',
      'those that nobody will send']]),
  ...inFile('src/db/migrations/functions.sql', SILENCED, [
    ['lp webhook: a changed address is reported to former webhooks',
      'from former_lp_webhook where kept_until > now()\n  ) former',
      'from former_lp_webhook where kept_until < now()\n  ) former',
      'after the thief has put its own URL in place'],
    ['lp webhook: of many former webhooks the LP’s own counts',
      'order by ended_at - began_at desc, id) as place', 'order by id desc) as place', 'after many changes']]),
  ...inFile('src/notify/lp-webhooks/configure.ts', SILENCED, [
    ['lp webhook: a change of the webhook is reported to the previous one',
      "where 'lp.webhook_changed' = any(events) and", "where 'lp.webhook_changed' <> all(events) and",
      'after the thief has removed the webhook'],
    ['lp webhook: many changes make few warnings', ') < 5\n  )`;', ') < 5000\n  )`;', 'after many changes'],
    ['lp webhook: former webhooks are kept as long as addresses are held',
      'const keepMs = Math.max(KEEP_MS, holdMs, overlap);', 'const keepMs = Math.max(KEEP_MS, overlap);',
      'for as long as a change of an address waits']]),
  ...inFile('src/notify/lp-webhooks/drop-waiting.ts', SILENCED, [
    ['lp webhook: turning webhooks off keeps a warning that waits', "and state = 'pending' and url is null",
      "and state = 'pending'", 'right behind it']]),
  ...inFile('src/notify/lp-webhooks/warnings.ts', SILENCED, [
    ['lp webhook: every secret that the URL had lately signs a warning',
      'where hook.lp_id = due.lp_id and hook.url = due.url',
      'where hook.lp_id = due.lp_id and hook.url = due.url limit 1',
      'after the thief has made another secret']]),
  ...inFile('src/market/collateral/request-withdrawal.ts', SILENCED, [
    ['lp webhook: a requested withdrawal is reported to its LP',
      "warnLp('lp.withdrawal_requested', 'withdrawal', REQUEST)",
      "warnLp('lp.withdrawal_requested', 'withdrawal', REQUEST).replace('any(hook', 'all(hook')",
      'and of a withdrawal that the thief has requested after it removed the webhook']]),
];
