import { DefaultLogger, type LogContext, type LoggerOptions } from '@mikro-orm/core';
import { DatabaseError } from 'pg';
import { activeTracing, inTrace, type SpanPlan } from './tracing.ts';

export interface StatementSpans {
  /** Does what is one statement to whoever waits for it, in a span where there is a trace. */
  around: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** The mapper's logger, which is told of each of its statements. */
  logger: (options: LoggerOptions) => DefaultLogger;
}

/**
 * Spans of statements: those written by hand are called by their names, the mapper's by what they do to which table.
 * Neither texts nor values are told. `url`: the database's.
 */
export function statementSpans(url: string): StatementSpans {
  const place = placeOf(url);
  return {
    around: (name, work) => {
      if (!activeTracing()) return work();
      const plan = (): SpanPlan => ({
        name,
        kind: 'client',
        attributes: { ...place, 'db.operation.name': name },
      });
      return inTrace(plan, async (span) => {
        try {
          return await work();
        } catch (error) {
          if (error instanceof DatabaseError && error.code)
            span?.setAttribute('db.response.status_code', error.code);
          throw error;
        }
      });
    },
    logger: (options) => (activeTracing() ? new MapperLogger(options, place) : DefaultLogger.create(options)),
  };
}

/** The driver takes addresses that are no URLs, too; of those it is not told where they are. */
function placeOf(url: string) {
  const system = { 'db.system.name': 'postgresql' };
  if (!URL.canParse(url)) return system;
  const { hostname, port, pathname } = new URL(url);
  return {
    ...system,
    'db.namespace': pathname.slice(1),
    'server.address': hostname,
    'server.port': Number(port || 5432),
  };
}

/** The mapper tells when a statement is over, and how long it took. */
class MapperLogger extends DefaultLogger {
  readonly #place: object;

  constructor(options: LoggerOptions, place: object) {
    super(options);
    this.#place = place;
  }

  override logQuery(context: LogContext & { query: string }): void {
    super.logQuery(context);
    const tracing = activeTracing();
    if (!tracing?.current()) return;
    const operation = /^\s*(\w+)/.exec(context.query)?.[1]?.toLowerCase() ?? 'statement';
    const table = /\b(?:from|into|update) "(\w+)"/i.exec(context.query)?.[1];
    const attributes = {
      ...this.#place,
      'db.operation.name': operation,
      ...(table && { 'db.collection.name': table }),
    };
    const name = table ? `${operation} ${table}` : operation;
    tracing.past({ name, kind: 'client', attributes }, context.took ?? 0, context.level === 'error');
  }
}
