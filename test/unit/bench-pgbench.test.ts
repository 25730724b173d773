import { describe, expect, test } from '@jest/globals';
import { pgbenchRate, pgbenchScript } from '../../bench/parts/pgbench.ts';
import { pgbenchStatement } from '../../bench/parts/statements.ts';
import { TRANSITIONS } from '../../bench/stages.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';

const SAID = `pgbench (15.18 (Debian 15.18-0+deb12u1), server 18.4)
transaction type: statement.sql
scaling factor: 1
query mode: prepared
number of clients: 16
number of threads: 1
maximum number of tries: 1
number of transactions per client: 20
number of transactions actually processed: 320/320
number of failed transactions: 0 (0.000%)
latency average = 20.947 ms
initial connection time = 52.611 ms
tps = 763.843469 (without initial connection time)
`;

describe('the output of pgbench', () => {
  test('contains the rate without connection time', () => {
    expect(pgbenchRate(SAID, 320)).toBe(763.843469);
  });

  test('is also parsed in the format of an older version', () => {
    const older = SAID.replace(/^number of failed.*\n/m, '').replace(
      /^tps.*$/m,
      'tps = 700.1 (including connections establishing)\ntps = 763.8 (excluding connections establishing)',
    );
    expect(pgbenchRate(older, 320)).toBe(763.8);
  });

  test.each([
    ['fewer transactions', SAID.replace('320/320', '319/320')],
    ['failures', SAID.replace('transactions: 0 ', 'transactions: 1 ')],
    ['nothing', ''],
  ])('%s is an error that shows the output', (_, output) => {
    expect(() => pgbenchRate(output, 320)).toThrow('pgbench did not perform 320 transactions');
  });
});

test('a statement as a pgbench script', () => {
  const script = pgbenchScript({
    text: `insert into t select $1::bigint, $2, 'lp:' || $3 || ':free', $4, $3 where $2 is null`,
    values: [{ each: ':first + :n' }, { always: null }, { always: '7' }, { eachUuid: ':n' }],
  });
  expect(script).toBe(
    [
      '\\set n :n + 1',
      '\\set v1 :first + :n',
      '\\set v4 :n',
      `insert into t select :v1::bigint, :v2, 'lp:' || :v3 || E'\\072free', lpad(:v4, 32, '0')::uuid, :v3 where :v2 is null;`,
      '',
    ].join('\n'),
  );
});

test('a parameter without a value is an error', () => {
  expect(() => pgbenchScript({ text: 'select $2', values: [{ always: '1' }] })).toThrow(
    'No value for parameter $2',
  );
});

describe.each(TRANSITIONS)('%s of Corridor', (transition) => {
  const soon = new Date('2026-01-01T00:00:00Z');
  const draft = {
    ...{ id: 5, payment_id: 'pay_5', agent_key_id: 1, user_id: 1, lp_id: 3, amount_fiat: '6475' },
    ...{ currency: 'KES', rate_usd: '129.5', spread_bps: 0, amount_usd: '50.000000', fee_usd: '0.250000' },
    ...{ amount_crypto: '50.250000', crypto_symbol: 'usdt', crypto_chain: 'trx', recipient: '+254700000001' },
    ...{ recipient_name: null, method: 'mobile_money', callback_url: null, status: 'matched' },
    ...{ expires_at: soon, timeout_at: soon },
  } as NewOrder;

  test('has all its values, a different order per transaction, and no accidental variable', async () => {
    const statement = await pgbenchStatement(transition, draft);
    const script = pgbenchScript(statement);
    expect(script).not.toMatch(/\$\d/);
    const lines = script.split('\n').filter((line) => !line.startsWith('\\set'));
    const variables = new Set(lines.join('\n').match(/(?<!:):\w+/g));
    expect([...variables].sort()).toEqual(statement.values.map((_, i) => `:v${i + 1}`).sort());
    expect(statement.values).toContainEqual({ each: ':first + :n * :clients + :client_id' });
  });
});

test('each step of an order has its own request id', async () => {
  const ids = await Promise.all(
    TRANSITIONS.slice(1).map(async (transition) => {
      const { values } = await pgbenchStatement(transition, { id: 5, lp_id: 3, amount_usd: '1' } as NewOrder);
      return values.flatMap((value) => ('eachUuid' in value ? [value.eachUuid] : []));
    }),
  );
  expect(ids.flat()).toHaveLength(5);
  expect(new Set(ids.flat()).size).toBe(5);
});
