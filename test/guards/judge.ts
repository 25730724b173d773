import type { Guard } from './guard.ts';

/** The part of Jest's JSON report that a verdict needs. */
export interface JestReport {
  testResults: {
    /** The test file, an absolute path. */
    name: string;
    /** Why the file could not run, or all failures of its tests. */
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** `kind`: `passed` and `failed` are about assertions only. `detail`: the first line of the failure, for people. */
export interface Verdict {
  kind: 'passed' | 'failed' | 'crashed' | 'not run';
  detail: string;
}

/** The errors of Jest's matchers and of the test helpers. Any other error is a crash, which proves nothing about a guard. */
const ASSERTION =
  /\bexpect\(|^Error: expected \d+, the API answered |^Error: expected .+ within \d+ ms, last saw |^Error: it did not come true within /;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with it
const COLOURS = /\u001b\[[\d;]*m/g;

/** Returns the verdict on the attack on a guard. */
export function judge(report: JestReport, { attack }: Pick<Guard, 'attack'>): Verdict {
  const file = report.testResults.find(({ name }) => name.endsWith(`/${attack.file}`));
  if (!file) return { kind: 'not run', detail: 'Jest did not run the test file' };
  const wanted = attackPattern([attack.name]);
  const tests = file.assertionResults.filter(
    ({ fullName, status }) => wanted.test(fullName) && ['passed', 'failed'].includes(status),
  );
  if (tests.length === 0) return { kind: 'not run', detail: firstLines(file.message) || 'no such test' };
  const failures = tests.flatMap(({ failureMessages }) => failureMessages.map(plain));
  if (failures.length === 0) return { kind: 'passed', detail: '' };
  const assertion = failures.find((message) => ASSERTION.test(message));
  return assertion
    ? { kind: 'failed', detail: summary(assertion) }
    : { kind: 'crashed', detail: summary(failures[0] ?? '') };
}

/** For Jest's `-t`: any of these names. */
export const attackPattern = (names: readonly string[]): RegExp =>
  new RegExp(names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'i');

const plain = (text: string) => text.replace(COLOURS, '');
const firstLines = (text: string, count = 3) =>
  plain(text)
    .trim()
    .split(/\s*\n\s*/)
    .slice(0, count)
    .join('  ');

/** The matcher, with what it expected and received, or with the first two lines that differ. */
function summary(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  const values = lines.filter((line) => /^(Expected|Received)[\w ]*:|^[-+] {2,}\S/.test(line)).slice(0, 2);
  const matcher = firstLines(message, 1).replace(/^\w*Error: |\s*\/\/ .*$/g, '');
  return [matcher, ...values.map((line) => line.replace(/\s+/g, ' '))].join('  ');
}
