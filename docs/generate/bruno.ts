import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brunoCollection } from './bruno-collection.ts';
import { openApiDocument } from './openapi-document.ts';

/** Writes `docs/bruno` anew, from the document of the routes. */
const folder = fileURLToPath(new URL('../bruno/', import.meta.url));
rmSync(folder, { recursive: true, force: true });
for (const [path, text] of Object.entries(brunoCollection(await openApiDocument()))) {
  mkdirSync(dirname(folder + path), { recursive: true });
  writeFileSync(folder + path, text);
}
