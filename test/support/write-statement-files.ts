import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { committedFiles, expectedFiles, STATEMENTS_FOLDER } from './statement-files.ts';

const expected = expectedFiles();
for (const name of committedFiles().keys()) if (!expected.has(name)) rmSync(new URL(name, STATEMENTS_FOLDER));
for (const [name, content] of expected) writeFileSync(new URL(name, STATEMENTS_FOLDER), content);
process.stdout.write(`${expected.size} statements are written to ${fileURLToPath(STATEMENTS_FOLDER)}\n`);
