import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXPORT_NAMES, EXPORTS, type ExportName } from '../domain/exports.ts';
import { type Cli, idArgument } from './cli.ts';
import { CliError } from './connection.ts';

const NAMES = EXPORT_NAMES.join(', ');

interface Options {
  from: string;
  to: string;
  lp?: number;
  out?: string;
}

/** `export`: files for accountants. */
export function addExportCommand(program: Command, { download, terminal }: Cli): void {
  program
    .command('export')
    .description('write orders, the ledger, or an LP’s history or statement of a range of time')
    .argument('<what>', NAMES, (what) => {
      if (!Object.hasOwn(EXPORTS, what)) throw new InvalidArgumentError(`Write one of ${NAMES}.`);
      return what;
    })
    .requiredOption('--from <time>', 'the beginning in UTC, such as 2026-11-01')
    .requiredOption('--to <time>', 'the end, not included; at most 366 days later')
    .addOption(new Option('--lp <id>', 'the LP of a history or a statement').argParser(idArgument))
    .option('--out <file>', 'where to write (default: the standard output)')
    .action(async (what: ExportName, { from, to, lp, out }: Options) => {
      const { file, ofLp } = EXPORTS[what];
      if (ofLp !== (lp !== undefined))
        throw new CliError(ofLp ? `export ${what} needs --lp` : `export ${what} takes no --lp`);
      const query = new URLSearchParams({ from, to, ...(lp ? { lp_id: String(lp) } : {}) });
      const content = await download(`/api/admin/exports/${file}?${query}`);
      const target = out === undefined ? terminal.out : createWriteStream(out, { flags: 'wx' });
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
