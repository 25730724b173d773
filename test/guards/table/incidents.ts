import { inFile } from '../guard.ts';

const ATTACKS = 'test/attacks/incidents.test.ts';
const DEADLINE = 'src/orders/steps/shared/deadline.ts';
const SQL = 'src/db/incidents.ts';
const CLOCKS = 'test/db/incident-clocks.test.ts';
const FAILED_CLAIM = 'src/orders/steps/shared/failed-claim.ts';
const SHIFT = 'src/orders/steps/shift-deadlines.ts';
const OUTAGES = 'test/db/outage-clocks.test.ts';
const CHAINS = 'test/workflow/chain-incidents.test.ts';

/** What an incident or an outage stops, and the time that it gives to nobody and takes from nobody. */
export const INCIDENT_GUARDS = [
  ...inFile('src/db/pauses.ts', ATTACKS, [
    ['incident: payments and claims obey it', '    union all ${incidentsOf(payment)}\n    limit 1`',
      '    limit 1`', 'a claim that a worker carries out after the opening is refused by the step']]),
  ...inFile('src/orders/incidents.ts', ATTACKS, [
    ['incident: opening it waits for claims that began before', 'if (await untilPaused(db)) return incident;',
      'if (db) return incident;', 'waits for a claim that began before it']]),
  ...inFile(DEADLINE, ATTACKS, [
    ['incident: no deadline expires in it', "${clockOf('orders')} >= orders.timeout_at and ${IN_SERVICE}",
      'now() >= orders.timeout_at and ${IN_SERVICE}', 'an LP that cannot pay in an incident gets no strike']]),
  ...inFile(SQL, CLOCKS, [
    ['incident: a deadline that had passed before is still overdue',
      ' and greatest(${o}.deadline_set_at, min(incident.opened_at)) < ${o}.timeout_at', '',
      'is overdue all the same if its deadline had passed before the incident'],
    ['incident: a deadline that had passed before is not saved',
      'least(now(), ${o}.timeout_at)', 'now()',
      'after a deadline that had passed before the incident costs one'],
    ['incident: while it closes, the clocks whose turn has not come stand still',
      '(${incident}.closing_at is null or ${o}.deadline_set_at < ${incident}.closing_at)',
      '${incident}.closing_at is null',
      'whose end fails in between stops only the clocks whose turn has not come']]),
  ...inFile(FAILED_CLAIM, CLOCKS, [
    ['incident: a release without a chance to pay costs no strike',
      " or ${standsStill(order)} then 'excused'", " then 'excused'",
      'in an incident costs no strike, and none after it'],
    ['incident: a release after it costs no strike', "('outage', 'incident', 'lost-commits')",
      "('outage', 'lost-commits')", 'in an incident costs no strike, and none after it']]),
  ...inFile('src/domain/incident.ts', CLOCKS, [
    ['incident: a chain does not stop the fiat', "chain: ['matched', 'confirmed',",
      "chain: ['matched', 'claimed', 'confirmed',",
      'in an incident of the chain costs one: the fiat does not need the chain']]),
  ...inFile('src/orders/steps/shared/moved-deadlines.ts', CLOCKS, [
    ['incident: no time counts twice', "    deadline_set_at = date_trunc('milliseconds', now())\n",
      // Only after an outage: an incident whose orders' clocks do not run again would never close.
      `    deadline_set_at = \${cause === 'outage' ? 'o.deadline_set_at' : "date_trunc('milliseconds', now())"}\n`,
      'counts no time twice and loses none with']]),
  ...inFile('src/orders/steps/close-incident.ts', CLOCKS, [
    ['incident: its end in an outage loses no time', "const SINCE = stoppedSince('o');",
      "const SINCE = `(select min(incident.opened_at) from incident where incident.closed_at is null and ${stopsClockOf('incident', 'o')})`;",
      'counts no time twice and loses none with']]),
  ...inFile(SHIFT, CLOCKS, [
    ['outage: its end in an incident loses no time', "since: stoppedSince('o')", "since: 'outage.began_at'",
      'counts no time twice and loses none with']]),
  ...inFile(SHIFT, OUTAGES, [
    ['outage: no deadline is moved twice', "where: waitsForTurn('outage.ended_at')",
      "where: waitsForTurn('now()')", 'leaves the rest to the next heartbeat, which moves no deadline twice'],
    ['outage: it ends only once all deadlines have moved', "${hasDeadline('o')})`", 'false)`',
      'a worker that finds another one at it ends nothing'],
    ['outage: a second one before all deadlines have moved loses no time of the first',
      'then coalesce(last.outage_began_at, last.recorded_at) else', 'then last.recorded_at else',
      'each order gets back what it lost in both'],
    ['outage: a second one before all deadlines have moved moves them all',
      "then date_trunc('milliseconds', now()) else last.outage_ended_at end",
      "then coalesce(last.outage_ended_at, date_trunc('milliseconds', now())) else last.outage_ended_at end",
      'each order gets back what it lost in both']]),
  ...inFile('src/db/outages.ts', OUTAGES, [
    ['outage: no deadline expires before all have moved', ' or outage_ended_at is not null', '',
      'lets no deadline expire in between']]),
  ...inFile(SQL, OUTAGES, [
    ['outage: a freeze before the deadline has moved takes no time', '`least(${awaySince(o)}, (select',
      '`least((select null::timestamptz where ${awaySince(o)} is null), (select',
      'keeps the time that it has when it is frozen']]),
  ...inFile(FAILED_CLAIM, OUTAGES, [
    ['outage: a release before the deadline has moved costs no strike',
      " or ${standsStill(order)} then 'excused'", " then 'excused'",
      'costs its LP no strike when the LP releases it']]),
  ...inFile(DEADLINE, CLOCKS, [
    ['incident: a step that keeps the deadline loses no time', 'then orders.deadline_set_at\n',
      'then now()\n', 'takes a step that keeps the deadline without a loss'],
    ['incident: a stage that begins in it gains no time from before',
      "      else date_trunc('milliseconds', now()) end`", '      else orders.deadline_set_at end`',
      'counts a stage that begins in it from its beginning'],
    ['incident: a freeze takes no time', "orders.timeout_at - ${clockOf('orders')})",
      'orders.timeout_at - now())', 'is frozen with what it has left']]),
  ...inFile('src/orders/steps/clock.ts', CLOCKS, [
    ['incident: an extension takes no time', "orders.timeout_at + (now() - ${clockOf('orders')})",
      'orders.timeout_at', 'can be given more time, and an extension never takes any']]),
  ...inFile('src/orders/known-currency.ts', 'test/api/incidents.test.ts', [
    ['incident: a mistyped method is refused, so that no incident only looks as if it was open',
      'if (!known.includes(method)) throw', 'if (known.length === 0) throw', 'cannot be']]),
  ...inFile('src/operations/upkeep/chain-contact.ts', CHAINS, [
    ['chain incident: an answer to one worker is enough',
      'case when $2::boolean then null else coalesce(chain_contact.silent_since, excluded.silent_since) end',
      'coalesce(chain_contact.silent_since, now())', 'one worker that gets an answer is enough']]),
  ...inFile('src/operations/upkeep/jobs/chain-incidents.ts', CHAINS, [
    ['chain incident: an old silence proves nothing', " and contact.asked_at > now() - interval '1 minute'",
      '', 'an old silence proves nothing after a stop of all workers'],
    ['chain incident: the one of an admin stays open', 'closeIncident(db, id, BY, { openedBy: BY })',
      'closeIncident(db, id, BY)', 'an admin who takes an incident over while it is being closed keeps it'],
    ['chain incident: one that an admin has closed stays closed', 'ended.closed_at >= contact.silent_since',
      'false', 'an admin decides']]),
];
