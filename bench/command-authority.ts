import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../src/service/embedded/postgres.ts';
import { signatureFault, signCommand } from '../src/temporal/command-signature.ts';

/**
 * The cost of authenticating a step's command: a signature with its verification, or the smallest insert that
 * records the command before the signal. Measured in turns, on one connection to its own PostgreSQL.
 */
const ROUNDS = 7;
const TIMES = 2_000;
const SECRET = 'a-secret-of-thirty-two-letters!!';
const command = {
  trigger: 'claim',
  lpId: 7,
  validUntil: new Date().toISOString(),
} as const;
const signed = () => ({ orderId: 42, requestId: randomUUID(), actor: 'lp:7', command });

const folder = await mkdtemp(join(tmpdir(), 'corridor-bench-'));
const postgres = await startPostgres(join(folder, 'postgres'));
const database = new pg.Client({ connectionString: postgres.url });
await database.connect();
// Logged: an unlogged table would not wait for the disk, as the record of a command has to.
await database.query('create table bench_command (request_id uuid primary key, command jsonb)');
const alternatives = {
  signature: async () => {
    const given = signed();
    const fault = signatureFault([SECRET], given, signCommand(SECRET, given));
    if (fault) throw new Error(`the signature is ${fault}`);
  },
  insert: async () => {
    await database.query({
      name: 'record',
      text: 'insert into bench_command values ($1, $2)',
      values: [randomUUID(), JSON.stringify(signed())],
    });
  },
};
const figures: Record<string, number[]> = { signature: [], insert: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, work] of Object.entries(alternatives)) {
    const began = performance.now();
    for (let time = 0; time < TIMES; time++) await work();
    figures[name]?.push(((performance.now() - began) / TIMES) * 1_000);
  }
}
await database.end();
await postgres.stop();
await rm(folder, { recursive: true });
for (const [name, rounds] of Object.entries(figures)) {
  const median = rounds.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
  process.stdout.write(`${name}: ${median.toFixed(1)} µs (median of ${ROUNDS} rounds of ${TIMES})\n`);
}
