import type { Guard } from '../guard.ts';

const SQL = 'src/db/incidents.ts';
const DEADLINE = 'src/orders/steps/shared/deadline.ts';
const FAILED_CLAIM = 'src/orders/steps/shared/failed-claim.ts';
const CLOCKS = 'test/db/incident-clocks.test.ts';
const ATTACKS = 'test/attacks/incidents.test.ts';
const OUTAGES = 'test/db/outage-clocks.test.ts';
const SHIFT = 'src/orders/steps/shift-deadlines.ts';
const CHAINS = 'test/workflow/chain-incidents.test.ts';
const CHAIN_JOB = 'src/operations/upkeep/jobs/chain-incidents.ts';
const OVERLAPS = 'counts no time twice and loses none with';

/** What an incident or an outage stops, and the time that it gives to nobody and takes from nobody. */
export const INCIDENT_GUARDS: readonly Guard[] = [
  {
    name: 'incident: payments and claims obey it',
    file: 'src/db/pauses.ts',
    text: '    union all ${incidentsOf(payment)}\n    limit 1`',
    without: '    limit 1`',
    attack: {
      file: ATTACKS,
      name: 'a claim that a worker carries out after the opening is refused by the step',
    },
  },
  {
    name: 'incident: opening it waits for claims that began before',
    file: 'src/orders/incidents.ts',
    text: 'if (await untilPaused(db)) return incident;',
    without: 'if (db) return incident;',
    attack: { file: ATTACKS, name: 'waits for a claim that began before it' },
  },
  {
    name: 'incident: no deadline expires in it',
    file: DEADLINE,
    text: "${clockOf('orders')} >= orders.timeout_at and ${IN_SERVICE}",
    without: 'now() >= orders.timeout_at and ${IN_SERVICE}',
    attack: { file: ATTACKS, name: 'an LP that cannot pay in an incident gets no strike' },
  },
  {
    name: 'incident: a deadline that had passed before is not saved',
    file: SQL,
    text: ' and greatest(${o}.deadline_set_at, min(incident.opened_at)) < ${o}.timeout_at',
    without: '',
    attack: { file: CLOCKS, name: 'after a deadline that had passed before the incident costs one' },
  },
  {
    name: 'incident: a release without a chance to pay costs no strike',
    file: FAILED_CLAIM,
    text: " or ${standsStill(order)} then 'excused'",
    without: " then 'excused'",
    attack: { file: CLOCKS, name: 'in an incident costs no strike, and none after it' },
  },
  {
    name: 'incident: a release after it costs no strike',
    file: FAILED_CLAIM,
    text: "('outage', 'incident', 'lost-commits')",
    without: "('outage', 'lost-commits')",
    attack: { file: CLOCKS, name: 'in an incident costs no strike, and none after it' },
  },
  {
    name: 'incident: a chain does not stop the fiat',
    file: 'src/domain/incident.ts',
    text: "chain: ['matched', 'confirmed',",
    without: "chain: ['matched', 'claimed', 'confirmed',",
    attack: { file: CLOCKS, name: 'in an incident of the chain costs one: the fiat does not need the chain' },
  },
  {
    name: 'incident: no time counts twice',
    file: 'src/orders/steps/shared/moved-deadlines.ts',
    text: "    deadline_set_at = date_trunc('milliseconds', now())\n",
    // Only after an outage: an incident whose orders' clocks do not run again would never close.
    without:
      "    deadline_set_at = ${cause === 'outage' ? 'o.deadline_set_at' : \"date_trunc('milliseconds', now())\"}\n",
    attack: { file: CLOCKS, name: OVERLAPS },
  },
  {
    name: 'incident: its end in an outage loses no time',
    file: 'src/orders/steps/close-incident.ts',
    text: "const SINCE = stoppedSince('o');",
    without:
      "const SINCE = `(select min(incident.opened_at) from incident where incident.closed_at is null and ${stopsClockOf('incident', 'o')})`;",
    attack: { file: CLOCKS, name: OVERLAPS },
  },
  {
    name: 'incident: while it closes, the clocks whose turn has not come stand still',
    file: 'src/db/incidents.ts',
    text: '(${incident}.closing_at is null or ${o}.deadline_set_at < ${incident}.closing_at)',
    without: '${incident}.closing_at is null',
    attack: {
      file: CLOCKS,
      name: 'whose end fails in between stops only the clocks whose turn has not come',
    },
  },
  {
    name: 'outage: its end in an incident loses no time',
    file: SHIFT,
    text: "since: stoppedSince('o')",
    without: "since: 'outage.began_at'",
    attack: { file: CLOCKS, name: OVERLAPS },
  },
  {
    name: 'outage: no deadline is moved twice',
    file: SHIFT,
    text: "where: waitsForTurn('outage.ended_at')",
    without: "where: waitsForTurn('now()')",
    attack: { file: OUTAGES, name: 'leaves the rest to the next heartbeat, which moves no deadline twice' },
  },
  {
    name: 'outage: no deadline expires before all have moved',
    file: 'src/db/outages.ts',
    text: ' or outage_ended_at is not null',
    without: '',
    attack: { file: OUTAGES, name: 'lets no deadline expire in between' },
  },
  {
    name: 'outage: it ends only once all deadlines have moved',
    file: SHIFT,
    text: "${hasDeadline('o')})`",
    without: 'false)`',
    attack: { file: OUTAGES, name: 'a worker that finds another one at it ends nothing' },
  },
  {
    name: 'outage: a second one before all deadlines have moved loses no time of the first',
    file: SHIFT,
    text: 'then coalesce(last.outage_began_at, last.recorded_at) else',
    without: 'then last.recorded_at else',
    attack: { file: OUTAGES, name: 'each order gets back what it lost in both' },
  },
  {
    name: 'outage: a second one before all deadlines have moved moves them all',
    file: SHIFT,
    text: "then date_trunc('milliseconds', now()) else last.outage_ended_at end",
    without:
      "then coalesce(last.outage_ended_at, date_trunc('milliseconds', now())) else last.outage_ended_at end",
    attack: { file: OUTAGES, name: 'each order gets back what it lost in both' },
  },
  {
    name: 'outage: a freeze before the deadline has moved takes no time',
    file: SQL,
    text: '`least(${awaySince(o)}, (select',
    without: '`least((select null::timestamptz where ${awaySince(o)} is null), (select',
    attack: { file: OUTAGES, name: 'keeps the time that it has when it is frozen' },
  },
  {
    name: 'outage: a release before the deadline has moved costs no strike',
    file: FAILED_CLAIM,
    text: " or ${standsStill(order)} then 'excused'",
    without: " then 'excused'",
    attack: { file: OUTAGES, name: 'costs its LP no strike when the LP releases it' },
  },
  {
    name: 'incident: a step that keeps the deadline loses no time',
    file: DEADLINE,
    text: 'then orders.deadline_set_at\n',
    without: 'then now()\n',
    attack: { file: CLOCKS, name: 'takes a step that keeps the deadline without a loss' },
  },
  {
    name: 'incident: a stage that begins in it gains no time from before',
    file: DEADLINE,
    text: "      else date_trunc('milliseconds', now()) end`",
    without: '      else orders.deadline_set_at end`',
    attack: { file: CLOCKS, name: 'counts a stage that begins in it from its beginning' },
  },
  {
    name: 'incident: an extension takes no time',
    file: 'src/orders/steps/clock.ts',
    text: "orders.timeout_at + (now() - ${clockOf('orders')})",
    without: 'orders.timeout_at',
    attack: { file: CLOCKS, name: 'can be given more time, and an extension never takes any' },
  },
  {
    name: 'incident: a freeze takes no time',
    file: DEADLINE,
    text: "orders.timeout_at - ${clockOf('orders')})",
    without: 'orders.timeout_at - now())',
    attack: { file: CLOCKS, name: 'is frozen with what it has left' },
  },
  {
    name: 'incident: a mistyped method is refused, so that no incident only looks as if it was open',
    file: 'src/orders/known-currency.ts',
    text: 'if (!known.includes(method)) throw',
    without: 'if (known.length === 0) throw',
    attack: { file: 'test/api/incidents.test.ts', name: 'cannot be' },
  },
  {
    name: 'chain incident: an answer to one worker is enough',
    file: 'src/operations/upkeep/chain-contact.ts',
    text: 'case when $2::boolean then null else coalesce(chain_contact.silent_since, excluded.silent_since) end',
    without: 'coalesce(chain_contact.silent_since, now())',
    attack: { file: CHAINS, name: 'one worker that gets an answer is enough' },
  },
  {
    name: 'chain incident: an old silence proves nothing',
    file: CHAIN_JOB,
    text: " and contact.asked_at > now() - interval '1 minute'",
    without: '',
    attack: { file: CHAINS, name: 'an old silence proves nothing after a stop of all workers' },
  },
  {
    name: 'chain incident: the one of an admin stays open',
    file: CHAIN_JOB,
    text: 'closeIncident(db, id, BY, { openedBy: BY })',
    without: 'closeIncident(db, id, BY)',
    attack: { file: CHAINS, name: 'an admin who takes an incident over while it is being closed keeps it' },
  },
  {
    name: 'chain incident: one that an admin has closed stays closed',
    file: CHAIN_JOB,
    text: 'ended.closed_at >= contact.silent_since',
    without: 'false',
    attack: { file: CHAINS, name: 'an admin decides' },
  },
];
