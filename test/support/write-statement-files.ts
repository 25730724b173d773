import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/db/orm.ts';
import { committedFiles, expectedFiles, STATEMENTS_FOLDER } from './statement-files.ts';
import { expectedTables, TABLES_FILE } from './tables-file.ts';

const expected = expectedFiles();
for (const name of committedFiles().keys()) if (!expected.has(name)) rmSync(new URL(name, STATEMENTS_FOLDER));
for (const [name, content] of expected) writeFileSync(new URL(name, STATEMENTS_FOLDER), content);
process.stdout.write(`${expected.size} statements are written to ${fileURLToPath(STATEMENTS_FOLDER)}\n`);

// The tables are made from the entities alone. No server is needed.
const db = await openDatabase({ url: 'postgres://127.0.0.1:1/none', debug: () => undefined });
writeFileSync(TABLES_FILE, await expectedTables(db.orm.schema));
await db.close();
process.stdout.write(`The tables are written to ${fileURLToPath(TABLES_FILE)}\n`);
