import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { breakingChanges, type Document } from './openapi-changes.ts';
import { openApiDocument } from './openapi-document.ts';

/** Writes `docs/openapi.json`, the contract with clients. Additions are allowed, breaking changes are not. */
const file = new URL('../openapi.json', import.meta.url);
const document = await openApiDocument();
const broken = existsSync(file) ? breakingChanges(JSON.parse(readFileSync(file, 'utf8')), document) : [];
if (broken.length > 0) {
  process.stderr.write(
    `docs/openapi.json was not written, because these changes would break clients:\n  ${broken.join('\n  ')}\n`,
  );
  process.exitCode = 1;
} else {
  writeFileSync(file, withOneLinePerRoute(document));
  process.stdout.write(`docs/openapi.json describes ${Object.keys(document.paths).length} paths\n`);
}

/** JSON with one line per route, so that diffs are readable. */
function withOneLinePerRoute({ paths, ...rest }: Document): string {
  const lines = Object.entries(paths).map(
    ([path, methods]) => `${JSON.stringify(path)}:${JSON.stringify(methods)}`,
  );
  return `${JSON.stringify(rest).slice(0, -1)},"paths":{\n${lines.join(',\n')}\n}}\n`;
}
