/**
 * SQL: since when the service has been away. It is away while it has no recent service heartbeat, and then until each
 * deadline has got back the time of the outage; see `src/orders/steps/shift-deadlines.ts`. Null: the service is available.
 */
export const AWAY_SINCE = `(select coalesce(outage_began_at, recorded_at) from service_heartbeat
    where good_until < now() or outage_ended_at is not null)`;

/**
 * SQL: since when an outage of the service has stopped the clock of order `o`. Null: none does. After an outage, the deadlines
 * move in turn, and the clock of each order runs from its turn on.
 */
export const awaySince = (o: string): string =>
  `(select least(case when ${o}.deadline_set_at < outage_ended_at then outage_began_at end,
      case when good_until < now() then recorded_at end) from service_heartbeat)`;
