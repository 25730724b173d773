import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { platform } from 'node:os';

/** Runs a command and returns its standard output. If it fails, rejects with the last lines of all its output. */
export async function runCommand(
  command: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; signal?: AbortSignal } = {},
): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args[0] ?? ''} failed (${code}):\n${lastLines(output, 15)}`);
  return stdout;
}

/** The last lines of a log, each cut to a readable length. */
export const lastLines = (text: string, count: number): string =>
  text
    .trimEnd()
    .split('\n')
    .slice(-count)
    .map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)} …` : line))
    .join('\n');
const MAX_LINE_LENGTH = 400;

/** The command line of a process. Empty: no process has this pid. */
export async function commandOf(pid: number): Promise<string> {
  const command =
    platform() === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
      : runCommand('ps', ['-p', String(pid), '-o', 'command=']);
  return command.catch(() => '');
}
