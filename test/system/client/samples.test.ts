import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { clientFolderForFile, ROOT, TSC } from '../../support/client-package.ts';

const run = promisify(execFile);
const folder = clientFolderForFile();

/** What the samples use without declaring it: the reader's own values, and those of the sample before it. */
const READERS_OWN = `import type { AgentClient, LpClient } from 'corridor-client';
  interface WebRequest { body: Uint8Array; headers: Record<string, string | string[] | undefined> }
  declare global {
    const process: { env: Record<string, string | undefined> };
    const express: { raw: (options: { type: string }) => object };
    const app: {
      post: (
        path: string,
        parser: object,
        handler: (request: WebRequest, response: { sendStatus: (status: number) => void }) => void,
      ) => void;
    };
    const corridor: AgentClient;
    const lp: LpClient;
    const request: WebRequest;
    const [rawBody, invoice, order_id]: [Uint8Array, { id: string }, number];
    const [secret, txHash, baseUrl, xrpl_address, mpesa_phone]: [string, string, string, string, string];
    const sendTokens: (address: string, amount: number) => Promise<string>;
    const sendFiat: (recipient: string, amount: number) => Promise<void>;
  }`;

/** Compiles each of these texts as a module of its own. Returns the errors. */
async function compile(texts: string[]): Promise<string> {
  writeFileSync(join(folder, 'readers-own.d.mts'), READERS_OWN);
  const files = texts.map((text, index) => {
    const file = `sample-${index}.mts`;
    writeFileSync(join(folder, file), `${text.replaceAll('…', '')}\nexport {};\n`);
    return file;
  });
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', ''];
  const lib = ['--lib', 'es2024,dom'];
  const failed = (error: { stdout: string }) => error;
  const { stdout } = await run(TSC, [...flags, ...lib, 'readers-own.d.mts', ...files], { cwd: folder }).catch(
    failed,
  );
  return stdout;
}

test('the samples of the client’s pages have the client’s types', async () => {
  const samples = ['client/README.md', 'docs/api-conventions.md'].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(
      ([, text = '']) => text,
    ),
  );
  expect(samples.length).toBe(6);
  expect(await compile(samples)).toBe('');
  const wrong = samples.map((text) => text.replace('lp.fiatSent(id)', 'lp.fiatSent(recipient)'));
  expect(await compile(wrong)).toMatch(/^sample-3\.mts\(\d+,\d+\): error TS2345.*\n?$/);
});
