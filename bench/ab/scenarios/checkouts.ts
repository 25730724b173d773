import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../processes.ts';
import type { Asked, Costs } from '../../transition-costs.ts';
import type { Scenario } from '../scenario.ts';

export const CHECKOUTS: Scenario = {
  question:
    'What do the transitions of an order cost compared with the checkout of --with? webhooks=1: with webhooks. Needs Linux.',
  sizes: { orders: 128, webhooks: 0 },
  rounds: 20,
  warms: true,
  async start({ say, cleanup, size, other }) {
    if (!other) throw new RangeError('--with names the other checkout');
    const asked: Asked = { orders: size('orders'), webhooks: size('webhooks') > 0 };
    const start = async (folder: string) => {
      say(`starting ${folder}`);
      const running = await startProcess(['bench/transition-costs.ts', folder], {}, /^ready$/m);
      cleanup.add(running.stop);
      return () => running.ask<Costs>(asked);
    };
    const there = await start(resolve(other));
    return { other: there, this: await start(fileURLToPath(new URL('../../../', import.meta.url))) };
  },
};
