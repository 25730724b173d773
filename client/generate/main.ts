import { writeFileSync } from 'node:fs';
import { generateContract } from './contract.ts';

writeFileSync(new URL('../src/contract.ts', import.meta.url), await generateContract());
process.stdout.write('client/src/contract.ts is written\n');
