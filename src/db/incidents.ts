import { type IncidentScope, STOPPED_STATUSES } from '../domain/incident.ts';
import { oneOf } from './entities/columns.ts';
import type { Incident } from './entities/incident.ts';
import type { Database } from './orm.ts';
import { awaySince } from './outages.ts';

/** SQL expressions for what a payment needs: its fiat currency, its corridor's method and its chain. */
export interface Needs {
  currency: string;
  method: string;
  chain: string;
}

const isOfCorridor = (incident: string, { currency, method }: Omit<Needs, 'chain'>): string =>
  `${incident}.currency = ${currency} and coalesce(${incident}.method, ${method}) = ${method}`;

/** SQL: the open incidents of a corridor. */
export const corridorIncidents = (needs: Omit<Needs, 'chain'>): string =>
  `select incident.reason from incident where incident.closed_at is null and ${isOfCorridor('incident', needs)}`;

/** SQL: the open incidents of a chain. */
export const chainIncidents = (chain: string): string =>
  `select incident.reason from incident where incident.closed_at is null and incident.chain = ${chain}`;

/** SQL: the reasons of the open incidents that stop new payments and claims. */
export const incidentsOf = ({ chain, ...corridor }: Needs): string =>
  `select incident.reason from incident
    where incident.closed_at is null and (incident.chain = ${chain} or ${isOfCorridor('incident', corridor)})`;

/**
 * SQL condition: order `o` waits for what is out of order in `incident`. `stopsClock` in `src/domain/incident.ts` says the
 * same.
 */
export const waitsForEndOf = (incident: string, o: string): string =>
  `(${incident}.chain = ${o}.crypto_chain and ${oneOf(`${o}.status`, STOPPED_STATUSES.chain)}
      or ${isOfCorridor(incident, { currency: `${o}.currency`, method: `${o}.corridor_method` })}
        and ${oneOf(`${o}.status`, STOPPED_STATUSES.currency)})`;

/**
 * SQL condition: `incident` stops the clock of order `o`. One that is closing moves the deadlines of its orders in turn, and
 * the clock of each runs from its turn on.
 */
export const stopsClockOf = (incident: string, o: string): string =>
  `(${waitsForEndOf(incident, o)} and (${incident}.closing_at is null or ${o}.deadline_set_at < ${incident}.closing_at))`;

/** SQL: since when an outage of the service or open incidents have stopped the clock of order `o`. Null: its clock runs. */
export const stoppedSince = (o: string): string =>
  `least(${awaySince(o)}, (select min(incident.opened_at) from incident
      where incident.closed_at is null and ${stopsClockOf('incident', o)}))`;

/**
 * SQL: the time that the clock of order `o` shows. It stands still from the beginning of an outage or an incident, or from the
 * moment after that at which the present deadline was set. Otherwise it shows the database's time.
 */
export const clockOf = (o: string): string =>
  `coalesce((select greatest(${o}.deadline_set_at, stop.since) from (select ${stoppedSince(o)} as since) stop
      where stop.since is not null), now())`;

/** SQL condition: the clock of order `o` stands still, and its deadline had not passed before. */
export const standsStill = (o: string): string => `${clockOf(o)} < least(now(), ${o}.timeout_at)`;

/**
 * SQL condition: an incident has stopped the clock of order `o` before its deadline. A deadline that had passed before the
 * incident began is not saved by it.
 */
export const isStopped = (o: string): string =>
  `exists (select from incident where incident.closed_at is null and ${stopsClockOf('incident', o)}
      having count(*) > 0 and greatest(${o}.deadline_set_at, min(incident.opened_at)) < ${o}.timeout_at)`;

/** The scope of a row, which may lack the columns that are null. */
export const scopeOf = ({
  currency,
  method,
  chain,
}: Pick<Incident, 'currency' | 'method' | 'chain'>): IncidentScope => ({
  currency: currency ?? null,
  method: method ?? null,
  chain: chain ?? null,
});

/** How many closed incidents a list shows. */
const CLOSED_SHOWN = 50;

const FIND = `
  (select * from incident where closed_at is null order by id)
  union all
  (select * from incident where closed_at is not null order by closed_at desc, id desc limit $1)`;

/** The open incidents, oldest first. */
export const findOpenIncidents = (db: Database): Promise<Incident[]> => find(db, 0);

/** The open incidents, oldest first, and then the newest closed ones. */
export const findIncidents = (db: Database): Promise<Incident[]> => find(db, CLOSED_SHOWN);

const find = (db: Database, closed: number) =>
  db.query<Incident & Record<string, unknown>>('incidents', FIND, [closed]);
