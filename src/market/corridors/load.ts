import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { StartupError } from '../../process/startup-error.ts';
import { type Corridor, corridorFile } from './schema.ts';

/** The corridors by currency. */
export type Corridors = ReadonlyMap<string, Corridor>;

const BUILT_IN = new URL('./built-in.json', import.meta.url);

/** Reads the operator's corridors, or the built-in ones without a file. Throws a StartupError of one line. */
export async function loadCorridors(path: string | undefined): Promise<Corridors> {
  const source = path === undefined ? 'The built-in corridors' : `CORRIDORS_FILE ${path}`;
  const text = await readFile(path ?? BUILT_IN, 'utf8').catch((error) => {
    throw new StartupError(`${source} cannot be read: ${error.code ?? error.message}.`);
  });
  const { data, error } = corridorFile.safeParse(parsed(text, source));
  if (data) return new Map(Object.entries(data.currencies));
  const [first] = error.issues;
  const others = error.issues.length - 1;
  const more = others > 0 ? ` (and ${others} more)` : '';
  throw new StartupError(
    `${source} is not usable: ${first ? inWords(first) : 'unknown'}${more}. See docs/corridors.md.`,
  );
}

function parsed(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').slice(0, 200);
    throw new StartupError(`${source} is not JSON: ${reason}.`);
  }
}

/** Names of fields come from the file, so they may contain line breaks. */
const inWords = ({ path, message }: z.core.$ZodIssue): string =>
  `at ${path.map(String).join('.') || 'the top'}: ${message}`.replace(/\s+/g, ' ').slice(0, 400);
