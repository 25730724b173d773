import { rate } from '../load.ts';
import type { Baseline } from './baseline.ts';
import { createEmptyWorkflow } from './empty-workflow.ts';
import { createNullSignals } from './null-signals.ts';
import { measureTransitions } from './transitions.ts';

const USAGE = `usage: node bench/baselines/main.ts <empty-workflow | null-signals | transitions> <count>

Prints units of work per second, as JSON. TEMPORAL_ADDRESS must be set, or DATABASE_URL for transitions.`;

const [name = '', given = ''] = process.argv.slice(2);
const count = Number(given);
const { TEMPORAL_ADDRESS: address = '', DATABASE_URL: databaseUrl = '' } = process.env;

const baselines: Record<string, () => Promise<unknown>> = {
  'empty-workflow': () => perSecond(createEmptyWorkflow),
  'null-signals': () => perSecond(createNullSignals),
  transitions: () => measureTransitions({ databaseUrl, orders: count }),
};
const baseline = baselines[name];
if (!baseline || !(count > 0)) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
process.stdout.write(`${JSON.stringify(await baseline())}\n`);

async function perSecond(create: (address: string) => Promise<Baseline>): Promise<number> {
  const { once, close } = await create(address);
  try {
    // Warm-up: compiles code and opens connections.
    await rate(32, once);
    return await rate(count, once);
  } finally {
    await close();
  }
}
