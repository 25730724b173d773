import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Middleware } from 'koa';
import { consoleFiles } from './console-bundle.ts';

const CONSOLE_PATH = '/console';
const MEDIA_TYPES: Record<string, string> = {
  '': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

interface Page {
  type: string;
  plain: string;
  /** The content with gzip. */
  packed: Buffer;
}

const pack = promisify(gzip);

/**
 * Serves the console: pages for LPs and admins that call the public API. The first request for a page builds all of
 * them, so a process does not build a console that it never serves.
 */
export function servesConsole(): Middleware {
  let pages: Promise<Map<string, Page>> | undefined;

  return async (ctx, next) => {
    const path = ctx.path === `${CONSOLE_PATH}/` ? CONSOLE_PATH : ctx.path;
    if (ctx.method !== 'GET' || !isConsole(path)) return next();
    ctx.state.route = CONSOLE_PATH;
    const page = (await built()).get(path);
    if (!page) return next();
    ctx.type = page.type;
    ctx.vary('Accept-Encoding');
    if (ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
      ctx.set('content-encoding', 'gzip');
      ctx.body = page.packed;
    } else ctx.body = page.plain;
  };

  /** After a failed build the next request builds again. */
  function built(): Promise<Map<string, Page>> {
    pages ??= packedPages().catch((error) => {
      pages = undefined;
      throw error;
    });
    return pages;
  }
}

export const isConsole = (path: string) => path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);

async function packedPages(): Promise<Map<string, Page>> {
  const files = Object.entries(await consoleFiles());
  const pages = files.map(async ([path, plain]): Promise<[string, Page]> => {
    const type = MEDIA_TYPES[extname(path)];
    if (!type) throw new Error(`the console has a file of an unknown type: ${path}`);
    return [path, { type, plain, packed: await pack(plain, { level: 9 }) }];
  });
  return new Map(await Promise.all(pages));
}
