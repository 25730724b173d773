import { rate } from '../load.ts';
import { createEmptyWorkflow } from './empty-workflow.ts';
import type { Floor } from './floor.ts';
import { createNullSignals } from './null-signals.ts';
import { measureTransitions } from './transitions.ts';

const USAGE = `usage: node bench/floors/main.ts <empty-workflow | null-signals | transitions> <count>

Prints what it came to in a second, as JSON. TEMPORAL_ADDRESS, for transitions DATABASE_URL, must be set.`;

const [name = '', given = ''] = process.argv.slice(2);
const count = Number(given);
const { TEMPORAL_ADDRESS: address = '', DATABASE_URL: databaseUrl = '' } = process.env;

const floors: Record<string, () => Promise<unknown>> = {
  'empty-workflow': () => perSecond(createEmptyWorkflow),
  'null-signals': () => perSecond(createNullSignals),
  transitions: () => measureTransitions({ databaseUrl, orders: count }),
};
const floor = floors[name];
if (!floor || !(count > 0)) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
process.stdout.write(`${JSON.stringify(await floor())}\n`);

async function perSecond(create: (address: string) => Promise<Floor>): Promise<number> {
  const { once, close } = await create(address);
  try {
    // Counts for nothing: code is compiled, connections are opened.
    await rate(32, once);
    return await rate(count, once);
  } finally {
    await close();
  }
}
