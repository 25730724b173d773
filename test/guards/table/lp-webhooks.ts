import type { Guard } from '../guard.ts';

const SILENCED = 'test/attacks/silenced-webhooks.test.ts';
const CONFIGURE = 'src/notify/lp-webhooks/configure.ts';

/** The content of LPs' webhooks, and control over them. */
export const LP_WEBHOOK_GUARDS: Guard[] = [
  {
    name: 'lp webhook: a signature without a time proves nothing',
    file: 'client/src/webhooks.ts',
    text: 'headers: Object.fromEntries(standard)',
    without: 'headers: standard.length === 0 ? {} : options.headers',
    attack: { file: 'test/client/lp.test.ts', name: 'webhooks arrive and verify' },
  },
  {
    name: 'lp webhook: https only',
    file: 'src/api/schemas/webhook-url.ts',
    text: 'protocol: allowHttp ? /^https?$/ : /^https$/,',
    without: 'protocol: /^https?$/,',
    attack: { file: 'test/attacks/lp-webhook-urls.test.ts', name: 'an LP’s webhooks refuse the URL' },
  },
  {
    name: 'lp webhook: offers only to approved LPs, at the time of the attempt',
    file: 'src/notify/feed/messages.ts',
    text: 'market.approved && (currencies.length',
    without: '(currencies.length',
    attack: {
      file: 'test/attacks/lp-webhooks.test.ts',
      name: 'that is suspended after an event does not receive it',
    },
  },
  {
    name: 'lp webhook: the recipient only for the present owner',
    file: 'src/notify/feed/messages.ts',
    text: 'if (payee?.lpId !== lpId) return {};',
    without: 'if (!payee) return {};',
    attack: {
      file: 'test/attacks/lp-webhooks.test.ts',
      name: 'that has lost an order does not learn its recipient',
    },
  },
  {
    name: 'lp webhook: only the tokens that the LP takes',
    file: 'src/notify/feed/messages.ts',
    text: 'assets.length === 0 || assets',
    without: 'assets.length >= 0 || assets',
    attack: {
      file: 'test/attacks/lp-webhooks.test.ts',
      name: 'without an address for the token receives nothing',
    },
  },
  {
    name: 'lp webhook: only orders that the LP’s terms take, as on its socket',
    file: 'src/notify/feed/messages.ts',
    text: 'if (!takes(ownTerms, snapshot.amount_fiat) || !takesToken(',
    without: 'if (!takesToken(',
    attack: {
      file: 'test/api/feed-terms.test.ts',
      name: 'an LP that changes its limits is offered only orders within them',
    },
  },
  {
    name: 'lp webhook: an open socket learns of changed terms',
    file: 'src/notify/feed/subscription.ts',
    text: '    if (lp?.market) market = lp.market;\n',
    without: '',
    attack: { file: 'test/api/feed-terms.test.ts', name: 'an LP that stops quoting is offered no orders' },
  },
  {
    name: 'lp webhook: each expiry of a rate is reported once',
    file: 'src/notify/lp-webhooks/queue-terms-events.ts',
    text: 'quoting and expiry_reported is distinct from valid_until and valid_until <= now()',
    without: 'quoting and valid_until <= now()',
    attack: { file: 'test/db/lp-terms-webhooks.test.ts', name: 'each expiry of a rate is reported once' },
  },
  {
    name: 'lp webhook: a low float is reported once until it is no longer low',
    file: 'src/notify/lp-webhooks/queue-terms-events.ts',
    text: 'quoting and float_is_low and not float_low_reported',
    without: 'quoting and float_is_low',
    attack: { file: 'test/db/lp-terms-webhooks.test.ts', name: 'a low float is reported once' },
  },
  {
    name: 'lp webhook: an agent does not redeliver it',
    file: 'src/notify/webhooks/redeliver.ts',
    text: "    if (whose !== 'anybody') throw new DomainError('not_found');\n",
    without: '',
    attack: { file: 'test/attacks/lp-webhooks.test.ts', name: 'gets three POSTs with the same id and bytes' },
  },
  {
    name: 'lp webhook: an agent does not see it',
    file: 'src/notify/webhooks/list-deliveries.ts',
    text: 'withAttempts(db, { order_id: orderId, lp_id: null });',
    without: 'withAttempts(db, { order_id: orderId });',
    attack: { file: 'test/attacks/lp-webhooks.test.ts', name: 'gets three POSTs with the same id and bytes' },
  },
  {
    name: 'lp webhook: a replaced secret signs for its overlap only',
    file: 'src/notify/lp-webhooks/active.ts',
    text: 'case when hook.previous_expires_at > now() then hook.previous_secret end as previous',
    without: 'hook.previous_secret as previous',
    attack: { file: 'test/attacks/lp-webhooks.test.ts', name: 'signs beside its successor for the overlap' },
  },
  {
    name: 'lp webhook: a receiver that fails for too long is stopped',
    file: 'src/notify/lp-webhooks/record-outcome.ts',
    text: "failing_since < now() - interval '${STOP_AFTER_HOURS} hours' or (",
    without: "failing_since < now() - interval '${STOP_AFTER_HOURS} years' or (",
    attack: { file: 'test/attacks/lp-webhooks.test.ts', name: 'is stopped after a long time' },
  },
  {
    name: 'lp webhook: the webhooks and the reader’s position in one statement',
    file: 'src/notify/lp-webhooks/queue.ts',
    text: 'const drafts = await draftsOf(db, events, await readHooks());',
    without:
      "const drafts = await draftsOf(db, events, await readHooks());\n  await db.query('early', 'insert into feed_cursor values ($1, $2::xid8, $3, $4) on conflict (reader) do update set xid = excluded.xid, order_id = excluded.order_id, seq = excluded.seq', [READER, next.xid, next.orderId, next.seq]);\n  Object.assign(known, next);",
    attack: {
      file: 'test/system/faults/crash-lp-webhook.test.ts',
      name: 'the LP has received each event',
    },
  },
  {
    name: 'lp webhook: one of several readers writes',
    file: 'src/notify/lp-webhooks/queue.ts',
    text: 'where (known.xid, known.order_id, known.seq) = ($5::xid8, $6::bigint, $7::int)',
    without: 'where ($5::xid8, $6::bigint, $7::int) is not null',
    attack: {
      file: 'test/db/lp-webhooks.test.ts',
      name: 'several concurrent readers write each webhook once',
    },
  },
  {
    name: 'lp webhook: agents’ webhooks are kept',
    file: 'src/operations/upkeep/jobs/prune.ts',
    text: 'd.lp_id is not null and d.finished_at',
    without: 'd.finished_at',
    attack: {
      file: 'test/db/lp-webhooks.test.ts',
      name: 'upkeep deletes only old webhooks of LPs and those that nobody will send',
    },
  },
  {
    name: 'lp webhook: a changed address is reported to former webhooks',
    file: 'src/db/migrations/initial.sql',
    text: 'from former_lp_webhook where kept_until > now()\n  ) former',
    without: 'from former_lp_webhook where kept_until < now()\n  ) former',
    attack: { file: SILENCED, name: 'after the thief has put its own URL in place' },
  },
  {
    name: 'lp webhook: of many former webhooks the LP’s own counts',
    file: 'src/db/migrations/initial.sql',
    text: 'order by ended_at - began_at desc, id) as place',
    without: 'order by id desc) as place',
    attack: { file: SILENCED, name: 'after many changes' },
  },
  {
    name: 'lp webhook: a change of the webhook is reported to the previous one',
    file: CONFIGURE,
    text: "where 'lp.webhook_changed' = any(events) and",
    without: "where 'lp.webhook_changed' <> all(events) and",
    attack: { file: SILENCED, name: 'after the thief has removed the webhook' },
  },
  {
    name: 'lp webhook: many changes make few warnings',
    file: CONFIGURE,
    text: ') < 5\n  )`;',
    without: ') < 5000\n  )`;',
    attack: { file: SILENCED, name: 'after many changes' },
  },
  {
    name: 'lp webhook: turning webhooks off keeps a warning that waits',
    file: 'src/notify/lp-webhooks/drop-waiting.ts',
    text: "and state = 'pending' and url is null",
    without: "and state = 'pending'",
    attack: { file: SILENCED, name: 'right behind it' },
  },
  {
    name: 'lp webhook: one that nobody will send does not keep its order from being masked',
    file: 'src/operations/upkeep/jobs/prune.ts',
    text: "d.lp_id is not null and d.state = 'pending' and d.url is null",
    without: 'false',
    attack: { file: 'test/db/lp-webhooks.test.ts', name: 'those that nobody will send' },
  },
  {
    name: 'lp webhook: every secret that the URL had lately signs a warning',
    file: 'src/notify/lp-webhooks/warnings.ts',
    text: 'where hook.lp_id = due.lp_id and hook.url = due.url',
    without: 'where hook.lp_id = due.lp_id and hook.url = due.url limit 1',
    attack: { file: SILENCED, name: 'after the thief has made another secret' },
  },
  {
    name: 'lp webhook: former webhooks are kept as long as addresses are held',
    file: CONFIGURE,
    text: 'const keepMs = Math.max(KEEP_MS, holdMs, overlap);',
    without: 'const keepMs = Math.max(KEEP_MS, overlap);',
    attack: { file: SILENCED, name: 'for as long as a change of an address waits' },
  },
  {
    name: 'lp webhook: a requested withdrawal is reported to its LP',
    file: 'src/market/collateral/request-withdrawal.ts',
    text: "warnLp('lp.withdrawal_requested', 'withdrawal', REQUEST)",
    without: "warnLp('lp.withdrawal_requested', 'withdrawal', REQUEST).replace('any(hook', 'all(hook')",
    attack: {
      file: SILENCED,
      name: 'and of a withdrawal that the thief has requested after it removed the webhook',
    },
  },
];
