import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, idArgument } from './cli.ts';
import { CliError } from './connection.ts';

/** The files of the API, by the name of the command. `true`: of one LP. */
const FILES: Record<string, { file: string; ofLp: boolean }> = {
  orders: { file: 'orders.csv', ofLp: false },
  ledger: { file: 'ledger.csv', ofLp: false },
  journal: { file: 'ledger.journal', ofLp: false },
  history: { file: 'history.csv', ofLp: true },
  statement: { file: 'statement.csv', ofLp: true },
};

interface Options {
  from: string;
  to: string;
  lp?: number;
  out?: string;
}

/** `export`: files for accountants. */
export function addExportCommand(program: Command, { download }: Cli): void {
  program
    .command('export')
    .description('write orders, the ledger, or an LP’s history or statement of a range of time')
    .argument('<what>', Object.keys(FILES).join(', '), (what) => {
      if (!Object.hasOwn(FILES, what))
        throw new InvalidArgumentError(`Write one of ${Object.keys(FILES).join(', ')}.`);
      return what;
    })
    .requiredOption('--from <time>', 'the beginning in UTC, such as 2026-11-01')
    .requiredOption('--to <time>', 'the end, not included; at most 366 days later')
    .addOption(new Option('--lp <id>', 'the LP of a history or a statement').argParser(idArgument))
    .option('--out <file>', 'where to write (default: the standard output)')
    .action(async (what: string, { from, to, lp, out }: Options) => {
      const { file, ofLp } = FILES[what] as { file: string; ofLp: boolean };
      if (ofLp !== (lp !== undefined))
        throw new CliError(ofLp ? `export ${what} needs --lp` : `export ${what} takes no --lp`);
      const query = new URLSearchParams({ from, to, ...(lp ? { lp_id: String(lp) } : {}) });
      const content = await download(`/api/admin/exports/${file}?${query}`);
      const target = out === undefined ? process.stdout : createWriteStream(out, { flags: 'wx' });
      await pipeline(content, target, { end: out !== undefined }).catch((cause) => {
        const where = out === undefined ? '' : ` to ${out}`;
        throw new CliError(
          `The export was not written${where}: ${cause.message}. What was written is not whole.`,
          {
            cause,
          },
        );
      });
    });
}
