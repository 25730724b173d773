import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { breakingChanges, type Document } from './openapi-changes.ts';
import { openApiDocument } from './openapi-document.ts';

/** Writes `docs/openapi.json`, which callers are promised: it may be added to, and not broken. */
const file = new URL('../openapi.json', import.meta.url);
const document = await openApiDocument();
const broken = existsSync(file) ? breakingChanges(JSON.parse(readFileSync(file, 'utf8')), document) : [];
if (broken.length > 0) {
  process.stderr.write(`Not written: these would break callers.\n  ${broken.join('\n  ')}\n`);
  process.exitCode = 1;
} else writeFileSync(file, aRouteALine(document));

/** Valid JSON that can be compared line by line. */
function aRouteALine({ paths, ...rest }: Document): string {
  const lines = Object.entries(paths).map(
    ([path, methods]) => `${JSON.stringify(path)}:${JSON.stringify(methods)}`,
  );
  return `${JSON.stringify(rest).slice(0, -1)},"paths":{\n${lines.join(',\n')}\n}}\n`;
}
