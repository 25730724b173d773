import { describe } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';
import { npmChromium } from './npm-chromium.ts';
import { withTool } from './optional-tool.ts';

const NO_CHROMIUM =
  'Chromium was not found. npm has one for Linux on x64 only. Install one, or set CHROMIUM to the path of one.';
const prepareChromium = findChromium(process.env, npmChromium(process.env));

/** A `describe` for tests that need a real browser. */
export const describeInBrowser = withTool(describe, prepareChromium !== undefined, NO_CHROMIUM);

declare global {
  var closeTestBrowser: (() => Promise<void>) | undefined;
}

let started: Promise<Browser> | undefined;

/**
 * The browser that all files of a Jest worker share. It ends with the worker. If Jest runs the files in its own process, the
 * global teardown closes it.
 */
function sharedBrowser(): Promise<Browser> {
  started ??= startBrowser().catch((error) => {
    started = undefined;
    throw error;
  });
  return started;
}

/** Starts a browser that can reach only this machine. */
async function startBrowser(): Promise<Browser> {
  if (!prepareChromium) throw new Error(NO_CHROMIUM);
  const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ ...(await prepareChromium()), args });
  globalThis.closeTestBrowser = () => browser.close();
  // After a crash, the next test starts another one.
  browser.once('disconnected', () => {
    started = undefined;
  });
  return browser;
}

export interface ViewOptions {
  phone?: boolean;
  dark?: boolean;
}

/** An open browser profile, with the errors of its page and the origins that it called. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Uncaught errors, and errors and warnings on the console, without the browser's own messages on failed requests. */
  faults: string[];
  /** Origins to which the page sent a request. */
  origins: Set<string>;
}

const TIMEOUT_MS = 90_000;

/** Opens the console in a browser profile of its own. */
export async function visit(baseUrl: string, view: ViewOptions = {}): Promise<Visitor> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({
    baseURL: baseUrl,
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: view.phone ? { width: 390, height: 844 } : { width: 1_280, height: 900 },
    colorScheme: view.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  const origins = new Set<string>();
  page.on('pageerror', (error) => faults.push(String(error.stack ?? error)));
  page.on('console', (message) => {
    const isRefusal = /^(Failed to load resource|WebSocket connection to)/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRefusal) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url())) origins.add(new URL(request.url()).origin);
  });
  page.on('websocket', (socket) => origins.add(new URL(socket.url().replace(/^ws/, 'http')).origin));
  await page.goto('/console');
  return { context, page, faults, origins };
}

export async function signIn({ page }: Visitor, key: string): Promise<void> {
  await page.getByLabel('Key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
