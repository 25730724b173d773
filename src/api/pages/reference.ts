import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ERRORS_PATH } from '../../http/error-responses.ts';
import { errorRow } from '../../http/errors.ts';
import { openApi } from '../openapi.ts';
import { type Route, route } from '../route.ts';
import type { RouteContract } from '../route-contract.ts';
import { errorsPage } from './errors.ts';
import { frontPage, type Installation } from './front.ts';
import { LLMS_PATH, llmsText } from './llms.ts';
import { LOGO_PATH, PLAIN_STYLE, PLAIN_STYLE_PATH } from './plain-page.ts';

/** Adds `GET /openapi.json`, which describes all routes including itself. The first request makes the document. */
export function withDocument(routes: Route[], publicUrl: string): Route[] {
  let document: Record<string, unknown> | undefined;
  const self = route({
    method: 'get',
    path: '/openapi.json',
    auth: 'none',
    summary: 'Read the OpenAPI document of this API',
    answers: { 200: z.record(z.string(), z.unknown()) },
    refuses: [],
    standsAlone: true,
    handle: async () => {
      document ??= openApi(all as RouteContract[], errorRow, publicUrl);
      return { status: 200, body: document };
    },
  });
  const all = [...routes, self];
  return all;
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Corridor API reference</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" href="${LOGO_PATH}">
  </head>
  <body>
    <main id="reference"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** The reference has a dark mode of its own, which follows the browser's. */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
});
`;

/** A file of the reference pages. */
export interface Asset {
  type: string;
  content: string | Buffer;
}

/** The files of the reference pages by path. All come from Corridor or a package, so the pages work without a network. */
export async function referencePages(
  settings: Parameters<typeof llmsText>[0] & Installation,
): Promise<Map<string, Asset>> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const packaged = (name: string) => readFile(join(folder, name));
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', content: frontPage(settings) }],
    ['/docs', { type: 'text/html; charset=utf-8', content: PAGE }],
    [ERRORS_PATH, { type: 'text/html; charset=utf-8', content: errorsPage() }],
    [LLMS_PATH, { type: 'text/plain; charset=utf-8', content: llmsText(settings) }],
    [LOGO_PATH, { type: 'image/svg+xml', content: await readFile(new URL('logo.svg', import.meta.url)) }],
    [PLAIN_STYLE_PATH, { type: 'text/css; charset=utf-8', content: PLAIN_STYLE }],
    ['/docs/start.js', { type: 'text/javascript; charset=utf-8', content: START }],
    ['/docs/swagger-ui.css', { type: 'text/css; charset=utf-8', content: await packaged('swagger-ui.css') }],
    [
      '/docs/swagger-ui-bundle.js',
      { type: 'text/javascript; charset=utf-8', content: await packaged('swagger-ui-bundle.js') },
    ],
  ]);
}
