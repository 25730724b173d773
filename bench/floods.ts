import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { createCallers } from '../dev/http-client.ts';
import { startOwnCorridor } from '../dev/own-corridor.ts';
import { loadSecrets } from '../src/settings/secrets.ts';
import { newLp, newUnlimitedAgent } from '../test/support/actors.ts';
import { newOrder } from '../test/support/repeated-steps.ts';
import { percentile } from './figures.ts';

const USAGE = `usage: npm run bench:floods -- [--rounds N] [--reads N]

Measures an agent's status reads while it is quiet, and during a stranger's flood: each second a new connection sends 2,000
requests for /readyz at once. In turns, N rounds (5) of N reads (300) each. Fails if a read fails, or if the median of the
rounds' p95 is more than 5 times as long during the flood.`;

const PIECE = 'GET /readyz HTTP/1.1\r\nHost: corridor\r\n\r\n'.repeat(2_000);
const MOST_TIMES = 5;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    reads: { type: 'string', default: '300' },
    help: { type: 'boolean', short: 'h' },
  },
});
const { say, cleanup } = createProgram();
if (values.help) say(USAGE);
else await main(Number(values.rounds), Number(values.reads)).finally(cleanup.run);

async function main(rounds: number, reads: number): Promise<void> {
  const settings = { AGENT_RATE_LIMIT: '0', PAY_RATE_LIMIT: '0' };
  const { config } = await startOwnCorridor({ settings, progress: say, cleanup });
  const corridor = createCallers(config.publicUrl, (await loadSecrets(config)).adminApiKey);
  await newLp(corridor);
  const agent = await newUnlimitedAgent(corridor);
  const path = `/api/v1/status/${await newOrder(agent)}`;
  const failed: number[] = [];

  /** The 95th percentile of the reads, in ms. */
  async function p95(): Promise<number> {
    const took: number[] = [];
    for (let i = 0; i < reads; i++) {
      const began = performance.now();
      const { status } = await agent.call('GET', path);
      took.push(performance.now() - began);
      if (status !== 200) failed.push(status);
    }
    return percentile(
      took.sort((a, b) => a - b),
      95,
    );
  }

  await p95();
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const quiet = await p95();
    const stop = flood(config.port);
    const flooded = await p95().finally(stop);
    ratios.push(flooded / quiet);
    say(`round ${round}: p95 ${quiet.toFixed(1)} ms quiet, ${flooded.toFixed(1)} ms during the flood`);
  }
  const ratio = percentile(
    [...ratios].sort((a, b) => a - b),
    50,
  );
  say(`flood ÷ quiet: ${ratio.toFixed(2)}, median of ${rounds} rounds; failed reads: ${failed.length}`);
  if (failed.length > 0 || ratio > MOST_TIMES) process.exitCode = 1;
}

/** Opens a connection each second, each with 2,000 requests. Returns the function that ends the flood. */
function flood(port: number): () => void {
  const sockets = new Set<Socket>();
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(PIECE));
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.resume();
  };
  open();
  const timer = setInterval(open, 1_000);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}
