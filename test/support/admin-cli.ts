import { expect } from '@jest/globals';
import { runAdmin } from '../../src/cli/run-admin.ts';
import { ADMIN_KEY, type TestCorridor } from './corridor.ts';
import { databaseSettings } from './database.ts';
import { onTerminal, type Printed } from './terminal.ts';

/** The admin CLI in the test's process. A command is a line as an admin types it, with quotes around words with blanks. */
export interface AdminCli {
  admin: (line: string, env?: Record<string, string>, typed?: string) => Promise<Printed>;
  /** The output of a command that must succeed. */
  shown: (line: string, env?: Record<string, string>) => Promise<string>;
  /** The same with `--json`, as its value. */
  json: (line: string, env?: Record<string, string>) => ReturnType<typeof JSON.parse>;
  /** The error line of a command that must fail, without its end. */
  refused: (line: string, env?: Record<string, string>) => Promise<string>;
}

/** The CLI with the settings of a Corridor, unless a call gives others. */
export function adminCli(corridor: TestCorridor): AdminCli {
  const settings = { ...apiSettings(corridor), ...serverSettings(corridor) };
  const admin = (line: string, env = settings, typed?: string) =>
    onTerminal((terminal) => runAdmin(wordsOf(line), env, terminal), typed);
  const shown = async (line: string, env?: Record<string, string>): Promise<string> => {
    const { exit, stdout, stderr } = await admin(line, env);
    expect([exit, stderr]).toEqual([0, '']);
    return stdout;
  };
  return {
    admin,
    shown,
    json: async (line, env) => JSON.parse(await shown(`${line} --json`, env)),
    refused: async (line, env) => {
      const { exit, stdout, stderr } = await admin(line, env);
      expect([exit, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^[^\n]+\n$/);
      return stderr.trim();
    },
  };
}

/** What a command needs to call a Corridor's API. */
export const apiSettings = ({ config }: TestCorridor): Record<string, string> => ({
  PUBLIC_URL: config.publicUrl,
  ADMIN_API_KEY: ADMIN_KEY,
});

/** What a command needs to query a Corridor's database and Temporal without its API. */
export const serverSettings = ({ config, shared, databaseUrl }: TestCorridor): Record<string, string> => ({
  ...databaseSettings(databaseUrl),
  TEMPORAL_ADDRESS: shared.temporalAddress,
  TEMPORAL_NAMESPACE: config.temporalNamespace,
});

/** Splits a line at blanks, except inside quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
