import { Readable } from 'node:stream';
import { Lp } from '../../../db/entities/lp.ts';
import { DomainError } from '../../../domain/errors.ts';
import { EXPORTS, type ExportName } from '../../../domain/exports.ts';
import type { ApiDeps } from '../../deps.ts';
import { type FileReply, type Route, route } from '../../route.ts';
import { journalEntries, ledgerLines, statementLines } from './ledger.ts';
import { historyLines, orderLines } from './orders.ts';
import { CSV, JOURNAL, lpRangeQuery, type Range, rangeQuery, requireRange } from './schemas.ts';

/** Files for accountants. They are streamed: an export may be larger than the memory, and ends when the client leaves. */
export function exportRoutes({ db }: ApiDeps): Route[] {
  const known = async (lpId: number) => {
    if (!(await db.em().findOne(Lp, { id: lpId })))
      throw new DomainError('not_found', `There is no LP ${lpId}: GET /api/admin/lps lists them`);
  };
  return [
    forAdmins(EXPORTS.orders, 'Export the orders that were created in a range', CSV, orderLines),
    forAdmins(EXPORTS.ledger, 'Export the transfers of the ledger in a range', CSV, ledgerLines),
    forAdmins(
      EXPORTS.journal,
      'Export the ledger as a journal for hledger or ledger',
      JOURNAL,
      journalEntries,
    ),
    ...ofLp(EXPORTS.history, 'Export the orders that an LP has completed in a range', historyLines),
    ...ofLp(
      EXPORTS.statement,
      'Export each movement of an LP’s collateral in a range, with balances',
      statementLines,
    ),
  ];

  function forAdmins(
    { file: name }: (typeof EXPORTS)[ExportName],
    summary: string,
    answer: typeof CSV | typeof JOURNAL,
    linesOf: (from: typeof db, range: Range) => AsyncGenerator<string>,
  ): Route {
    return route({
      method: 'get',
      path: `/api/admin/exports/${name}`,
      auth: 'admin',
      summary,
      query: rangeQuery,
      answers: { 200: answer },
      refuses: [],
      handle: async ({ query }) => {
        const range = requireRange(query);
        return { status: 200, file: await fileOf(name, answer.mediaTypes[0], range, linesOf(db, range)) };
      },
    });
  }

  /** The export for the LP itself, and for admins. */
  function ofLp(
    { file: name }: (typeof EXPORTS)[ExportName],
    summary: string,
    linesOf: (from: typeof db, range: Range, lpId: number) => AsyncGenerator<string>,
  ): Route[] {
    const reply = async (range: Range, lpId: number) =>
      ({
        status: 200,
        file: await fileOf(`lp-${lpId}-${name}`, 'text/csv', range, linesOf(db, range, lpId)),
      }) as const;
    return [
      route({
        method: 'get',
        path: `/api/admin/exports/${name}`,
        auth: 'admin',
        summary,
        query: lpRangeQuery,
        answers: { 200: CSV },
        refuses: ['not_found'],
        handle: async ({ query }) => {
          const range = requireRange(query);
          await known(query.lp_id);
          return reply(range, query.lp_id);
        },
      }),
      route({
        method: 'get',
        path: `/api/lp/:lp_key/exports/${name}`,
        auth: 'lp',
        summary: summary.replace('an LP', 'the LP'),
        query: rangeQuery,
        answers: { 200: CSV },
        refuses: [],
        handle: async ({ principal, query }) => reply(requireRange(query), principal.id),
      }),
    ];
  }
}

const day = (at: Date): string => at.toISOString().slice(0, 10);

/** A file such as `orders-2026-01-01-2026-02-01.csv`. */
async function fileOf(
  name: string,
  type: string,
  { from, to }: Range,
  lines: AsyncGenerator<string>,
): Promise<FileReply> {
  const [, stem, ending] = /^(.*)\.(\w+)$/.exec(name) ?? [];
  return {
    content: Readable.from(await begun(lines), { objectMode: false, highWaterMark: 64 * 1024 }),
    type: `${type}; charset=utf-8`,
    size: null,
    name: `${stem}-${day(from)}-${day(to)}.${ending}`,
  };
}

/**
 * Reads the title and the first lines from the database, so that an export that cannot begin is refused: a file that has begun
 * can only be cut.
 */
async function begun(lines: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = [await lines.next(), await lines.next()];
  return (async function* () {
    try {
      for (const { done, value } of first) if (!done) yield value;
      yield* lines;
    } finally {
      // Its client may have left before the rest.
      await lines.return(undefined);
    }
  })();
}
