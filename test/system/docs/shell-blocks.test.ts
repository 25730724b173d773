import { globSync, symlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../src/process/free-port.ts';
import { freshCheckout } from '../../support/checkout.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { type ShellBlock, shellBlocksOf, showsLine } from '../../support/markdown-blocks.ts';
import { type Background, openShell, startInBackground } from '../../support/page-shell.ts';

/** The pages that readers follow, in this order, and the folder in which each page's commands run. */
const PAGES = {
  'README.md': '.',
  'docs/demo.md': '.',
  'docs/webhooks.md': '.',
  'docs/sandbox.md': '.',
  'docs/admin-cli.md': '.',
  'docs/access.md': '.',
  'examples/README.md': 'examples',
  'ops/views.md': '.',
  'docs/operations.md': '.',
};
type Page = keyof typeof PAGES;
/** Pages for operators. Their commands do the same after the demo. */
const READ_ONCE: Page[] = ['ops/views.md', 'docs/operations.md'];
const pages = Object.entries(PAGES) as [Page, string][];

/** Why no test runs a block, in the order of its page. A block without a marker is run. */
const SKIPPED: Record<string, string[]> = {
  'CONTRIBUTING.md': ['takes-long'],
  'README.md': ['installs-packages'],
  'docs/access.md': ['needs-a-proposal', 'needs-an-admin'],
  'docs/demo.md': ['starts-its-own-corridor'],
  'docs/figures.md': ['takes-long'],
  'docs/kubernetes.md': [
    ...['needs-a-cluster', 'needs-a-cluster', 'needs-your-own-servers'],
    ...Array(5).fill('needs-a-cluster'),
  ],
  'docs/observability.md': ['restarts-corridor', 'restarts-corridor'],
  'docs/operations.md': [
    ...['needs-your-own-servers', 'needs-your-own-servers', 'needs-docker'],
    ...Array(4).fill('needs-your-own-servers'),
    ...Array(2).fill('needs-your-own-ids'),
  ],
  'docs/releases.md': ['needs-your-own-servers'],
  'docs/reliability.md': Array(5).fill('takes-long'),
  'examples/README.md': ['installs-packages'],
};
/** What the one program prints that stays when the reader goes on to the next page. */
const STAYS = 'corridor: ready';

type Reader = Awaited<ReturnType<typeof newReader>>;
let reader: Reader;
const leftRunning: (() => Promise<void>)[] = [];
beforeAll(async () => {
  reader = await newReader();
});
afterAll(async () => {
  for (const end of leftRunning.reverse()) await end();
});

/** Follows every page from its first block to its last; `wanted` says which blocks are for this reading. */
async function readAll(wanted: (block: ShellBlock, page: Page) => boolean): Promise<void> {
  for (const [page] of pages) {
    for (const block of shellBlocksOf(page).filter((block) => wanted(block, page)))
      await reader.follow(page, block);
    await reader.leavePage();
  }
}
const startsCorridor = ({ until }: ShellBlock) => until === STAYS;

test('every shell block of every page is run, or says why it is not', () => {
  const all = globSync(['*.md', '{docs,ops,examples,client}/**/*.md'], { exclude: ['**/node_modules/**'] });
  const blocks = all.sort().map((page) => [page, shellBlocksOf(page)] as const);
  const skipped = blocks.map(([page, own]) => [page, own.flatMap(({ skip }) => skip ?? [])] as const);
  expect(Object.fromEntries(skipped.filter(([, reasons]) => reasons.length > 0))).toEqual(SKIPPED);
  const unread = blocks.flatMap(([page, own]) => (page in PAGES ? [] : own));
  expect(unread.flatMap(({ place, skip }) => (skip === undefined ? [place] : []))).toEqual([]);
});

describe('on a fresh npm start the blocks of every page do what the page says', () => {
  test('before the demo', () => readAll(({ isDemo }) => !isDemo), 600_000);
  test('the demo itself', () => readAll(({ isDemo }) => isDemo), 600_000);
  test(
    'after the demo',
    () => readAll((block, page) => !READ_ONCE.includes(page) && !block.isDemo && !startsCorridor(block)),
    600_000,
  );
});

/** Somebody who pastes the blocks of a page into terminals, in a checkout of their own. */
async function newReader() {
  const checkout = freshCheckout();
  leftRunning.push(async () => checkout.remove());
  // `npm install` would do this, from a registry.
  await mkdir(join(checkout.folder, 'examples/node_modules'));
  symlinkSync(
    join(checkout.folder, 'client'),
    join(checkout.folder, 'examples/node_modules/corridor-client'),
  );

  const ports = Object.fromEntries(
    await Promise.all(['8080', '8233', '4242', '3000'].map(async (port) => [port, await freePort()])),
  );
  const terminal = {
    PATH: pathOfReaders(),
    HOME: process.env.HOME ?? '',
    npm_config_update_notifier: 'false',
    // Dozens of commands load the same modules.
    NODE_COMPILE_CACHE: join(checkout.folder, '.compile-cache'),
  };
  const corridor = {
    ...terminal,
    PORT: String(ports['8080']),
    TEMPORAL_UI_PORT: String(ports['8233']),
    // Half of the pages register LPs, together more than ten a minute, the default limit of an address. A reader takes
    // longer for the pages than this test.
    REGISTER_RATE_LIMIT: '0',
  };
  let shell: ReturnType<typeof openShell> | undefined;
  const programs: { block: ShellBlock; background: Background }[] = [];
  const closeTerminals = async () => {
    for (const { background } of programs.splice(0)) await background.interrupt();
    await shell?.close();
    shell = undefined;
  };
  leftRunning.push(closeTerminals);

  return {
    follow: async (page: Page, block: ShellBlock) => {
      if (block.skip !== undefined) return;
      // The examples have a PORT of their own.
      const env = page === 'examples/README.md' ? terminal : corridor;
      const place = { folder: join(checkout.folder, PAGES[page]), env };
      const text = withPorts(block.text, ports);
      if (block.until === undefined) {
        shell ??= openShell(place);
        expectShown(block, await shell.run(text));
        return;
      }
      const background = await startInBackground(text, block.until, place);
      if (block.until === STAYS) {
        leftRunning.push(background.interrupt);
        expectShown(block, background.output());
      } else programs.push({ block, background });
    },
    /** What a program shows by now is what the page says; it ends with the page. */
    leavePage: async () => {
      for (const { block, background } of programs)
        await eventually(async () => missingLines(block, background.output()).length === 0).catch(() =>
          expectShown(block, background.output()),
        );
      await closeTerminals();
    },
  };
}

const missingLines = ({ expected }: ShellBlock, output: string) =>
  expected.filter((line) => !showsLine(output, line));

function expectShown(block: ShellBlock, output: string): void {
  const missing = missingLines(block, output);
  if (missing.length === 0) return;
  throw new Error(`${block.place} does not show:\n${missing.join('\n')}\nIt shows:\n${output}`);
}

/** The ports of the pages may be taken here. */
function withPorts(text: string, ports: Record<string, number>): string {
  return text
    .replace(/(?<=127\.0\.0\.1:|PORT: |listen\()(8080|3000)\b/g, (port) => String(ports[port]))
    .replace(/npm run listen(?: --)?/, `npm run listen -- --port ${ports['4242']}`);
}

/** A reader has no `node_modules/.bin` on the PATH. The Temporal server is the one that the tests use. */
function pathOfReaders(): string {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return [...folders, dirname(testEnvironment().temporalBinary)].join(delimiter);
}
