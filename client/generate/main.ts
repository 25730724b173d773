import { writeFileSync } from 'node:fs';
import { contractTypes } from './contract.ts';

writeFileSync(new URL('../src/contract.ts', import.meta.url), await contractTypes());
