import { DefaultLogger, type LogContext, type LoggerOptions } from '@mikro-orm/core';
import { DatabaseError } from 'pg';
import { activeTracing, inTrace, type SpanPlan } from './tracing.ts';

export interface StatementSpans {
  /** Runs the work of one statement in a span, if there is a trace. */
  around: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  /** Makes a logger for MikroORM, which reports each of its statements to it. */
  logger: (options: LoggerOptions) => DefaultLogger;
}

/**
 * Spans of statements. SQL written by hand is named by its statement name, MikroORM's SQL by operation and table. Spans
 * contain neither the SQL nor its values. `url`: the database's.
 */
export function statementSpans(url: string): StatementSpans {
  const database = databaseAttributes(url);
  return {
    around: (name, work) => {
      if (!activeTracing()) return work();
      const plan = (): SpanPlan => ({
        name,
        kind: 'client',
        attributes: { ...database, 'db.operation.name': name },
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
    logger: (options) =>
      activeTracing() ? new MapperLogger(options, database) : DefaultLogger.create(options),
  };
}

/** The driver also accepts addresses that are not URLs. Their spans do not name the server. */
function databaseAttributes(url: string) {
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

/** MikroORM calls its logger when a statement is finished, with the duration. */
class MapperLogger extends DefaultLogger {
  readonly #database: object;

  constructor(options: LoggerOptions, database: object) {
    super(options);
    this.#database = database;
  }

  override logQuery(context: LogContext & { query: string }): void {
    super.logQuery(context);
    const tracing = activeTracing();
    if (!tracing?.current()) return;
    const operation = /^\s*(\w+)/.exec(context.query)?.[1]?.toLowerCase() ?? 'statement';
    const table = /\b(?:from|into|update) "(\w+)"/i.exec(context.query)?.[1];
    const attributes = {
      ...this.#database,
      'db.operation.name': operation,
      ...(table && { 'db.collection.name': table }),
    };
    const name = table ? `${operation} ${table}` : operation;
    tracing.past({ name, kind: 'client', attributes }, context.took ?? 0, context.level === 'error');
  }
}
