import { describe } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

const NONE =
  'There is no Chromium here: install it (Debian and Ubuntu: apt-get install chromium), or name it in CHROMIUM.';
const executablePath = findChromium(process.env);

/**
 * Tests that a real browser is needed for. On a machine without one they are skipped, which is said; where `CI` is set
 * they fail.
 */
export const describeInBrowser: typeof describe | typeof describe.skip =
  executablePath || process.env.CI ? describe : skippedAloud();

function skippedAloud(): typeof describe.skip {
  process.stderr.write(`\nSkipped: ${NONE}\n`);
  return describe.skip;
}

/** A browser that finds nothing but this machine, as if the network had been cut. */
export async function startBrowser(): Promise<Browser> {
  if (!executablePath) throw new Error(NONE);
  const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args });
}

export interface ViewOptions {
  phone?: boolean;
  dark?: boolean;
}

/** One person's browser, with what it must not meet: errors of the page, and requests to anybody but the service. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Faults of the page and messages on its console, but for those of the browser on answers that are refusals or never came. */
  faults: string[];
  /** Origins that were asked for anything. */
  origins: Set<string>;
}

const PATIENCE_MS = 90_000;

/** Opens the console in a browser profile of its own. */
export async function visit(browser: Browser, baseUrl: string, view: ViewOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: view.phone ? { width: 390, height: 844 } : { width: 1_280, height: 900 },
    colorScheme: view.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
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
