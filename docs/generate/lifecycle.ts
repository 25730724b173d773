import { writeFile } from 'node:fs/promises';
import { lifecycleDocument } from './lifecycle-document.ts';

await writeFile(new URL('../lifecycle.md', import.meta.url), lifecycleDocument());
process.stdout.write('docs/lifecycle.md is written\n');
