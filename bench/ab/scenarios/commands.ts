import { randomUUID } from 'node:crypto';
import { signatureFault, signCommand } from '../../../src/temporal/command-signature.ts';
import { ms, openOwn, ownDatabase, type Scenario } from '../scenario.ts';

const SECRET = 'a-secret-of-thirty-two-letters!!';
const command = { trigger: 'claim', lpId: 7, validUntil: new Date().toISOString() } as const;
const signed = () => ({ orderId: 42, requestId: randomUUID(), actor: 'lp:7', command });

export const COMMANDS: Scenario = {
  question:
    'Which authenticates a command cheaper: a signature with its verification, or the smallest insert before the signal?',
  sizes: { times: 2_000 },
  rounds: 7,
  warms: false,
  async start(given) {
    const db = await openOwn(await ownDatabase(given), given, { poolSize: 1 });
    // Logged: an unlogged table would not wait for the disk, as the record of a command has to.
    await db.pool.query('create table bench_command (request_id uuid primary key, command jsonb)');
    const times = async (work: () => Promise<unknown>) => {
      const took = await ms(async () => {
        for (let n = 0; n < given.size('times'); n++) await work();
      });
      return { 'each, µs': (took / given.size('times')) * 1_000 };
    };
    const signature = async () => {
      const one = signed();
      const fault = signatureFault([SECRET], { ...one, signature: signCommand(SECRET, one) });
      if (fault) throw new Error(`the signature is ${fault}`);
    };
    const insert = () =>
      db.query('bench-record', 'insert into bench_command values ($1, $2)', [
        randomUUID(),
        JSON.stringify(signed()),
      ]);
    return { insert: () => times(insert), signature: () => times(signature) };
  },
};
