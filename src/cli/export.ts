import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { InvalidArgumentError } from 'commander';
import { EXPORT_NAMES, EXPORTS, type ExportName } from '../domain/exports.ts';
import { type Cli, pathWith } from './cli.ts';
import { command } from './command.ts';
import { CliError } from './connection.ts';

const NAMES = EXPORT_NAMES.join(', ');

interface Wanted {
  what: ExportName;
  from: string;
  to: string;
  lp?: number;
  out?: string;
}

/** `export`: files for accountants. */
export const EXPORT_COMMANDS = [
  command('export <what>', 'write orders, the ledger, or an LP’s history or statement of a range of time', {
    call: write,
    args: { '<what>': { does: NAMES, parse: nameOf } },
    options: {
      '--from <time>!': 'the beginning in UTC, such as 2026-11-01',
      '--to <time>!': 'the end, not included; at most 366 days later',
      '--lp <id>': 'the LP of a history or a statement',
      '--out <file>': 'where to write (default: the standard output)',
    },
  }),
];

function nameOf(what: string): string {
  if (!Object.hasOwn(EXPORTS, what)) throw new InvalidArgumentError(`Write one of ${NAMES}.`);
  return what;
}

async function write({ download, terminal }: Cli, { what, from, to, lp, out }: Wanted): Promise<void> {
  const { file, ofLp } = EXPORTS[what];
  if (ofLp !== (lp !== undefined))
    throw new CliError(ofLp ? `export ${what} needs --lp` : `export ${what} takes no --lp`);
  const content = await download(pathWith(`/api/admin/exports/${file}`, { from, to, lp_id: lp }));
  const target = out === undefined ? terminal.out : createWriteStream(out, { flags: 'wx' });
  await pipeline(content, target, { end: out !== undefined }).catch((cause) => {
    const where = out === undefined ? '' : ` to ${out}`;
    throw new CliError(
      `The export was not written${where}: ${cause.message}. What was written is not whole.`,
      { cause },
    );
  });
}
