import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { createTronVerifier, type TronSettings } from '../../../src/adapters/chain-tron.ts';
import type { ExpectedPayment } from '../../../src/adapters/ports.ts';
import { tronAddressBytes } from '../../../src/adapters/tron-address.ts';
import { confirmedOrder, newAgent, settle, statusOf } from '../../support/actors.ts';
import { lpOn } from '../../support/chain-lp.ts';
import { startCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { shownVerdict } from '../../support/shown-verdict.ts';
import {
  contractCall,
  startTronNode,
  type TronNode,
  transferLog,
  tronAddress,
} from '../../support/tron-node.ts';
import { watchVerifications } from '../../support/verification-watch.ts';

const bytes = () => randomBytes(20).toString('hex');
const [TOKEN, PAYER, LP, STRANGER] = [bytes(), bytes(), bytes(), bytes()] as const;
const AT = Date.UTC(2026, 2, 1);

let node: TronNode;
beforeAll(async () => {
  node = await startTronNode(6);
});
beforeEach(() => node.server.answer(node.serve));
afterAll(() => node?.server.close());

const settings = (changes: Partial<TronSettings> = {}): TronSettings => ({
  rpcUrl: node.server.url,
  apiKey: 'key-of-the-node',
  tokens: { usdt: { contract: tronAddress(TOKEN), decimals: 6 } },
  depositAddress: null,
  reserveAddresses: [],
  ...changes,
});

/** Adds a transaction to the node, and returns its hash. */
function put(
  serve: (id: string) => object,
  more: { solidified?: boolean; transaction?: object } = {},
): string {
  const id = randomBytes(32).toString('hex');
  node.transactions.set(id, { solidified: true, ...more, info: serve(id) });
  return id;
}
const pays = (units: bigint, to: string = LP, contract: string = TOKEN) =>
  put((id) => contractCall(id, contract, [transferLog(contract, PAYER, to, units)], AT));

const verify = async (txHash: string, changes: Partial<ExpectedPayment> = {}, given = settings()) =>
  shownVerdict(
    await createTronVerifier(given).verify({
      txHash,
      symbol: 'usdt',
      recipient: tronAddress(LP),
      amount: '10.050000',
      notBefore: new Date(0),
      dueBy: null,
      destinationTag: null,
      platformMaySend: false,
      ...changes,
    }),
  );
const invalid = (reason: RegExp) => ({ kind: 'invalid', reason: expect.stringMatching(reason) });

describe('a TRC-20 payment', () => {
  test('is verified when it is solidified, with the node’s key sent along', async () => {
    expect(await verify(pays(10_050_000n))).toEqual({ kind: 'verified', paid: '10.05', note: null });
    const { path, headers } = node.server.received.at(-1) ?? {};
    expect(path).toMatch(/^\/walletsolidity\//);
    expect(headers?.['tron-pro-api-key']).toBe('key-of-the-node');
  });

  test('is pending while it is in a block that is not solidified', async () => {
    const log = [transferLog(TOKEN, PAYER, LP, 10_050_000n)];
    const hash = put((id) => contractCall(id, TOKEN, log, AT), { solidified: false });
    expect(await verify(hash)).toEqual({
      kind: 'pending',
      confirmations: 'block 32880248 is not solidified',
    });
  });

  test('is not found if the node does not know it', async () => {
    expect(await verify('ab'.repeat(32))).toEqual({ kind: 'not_found' });
  });

  test.each<[string, () => string, RegExp]>([
    ['too little', () => pays(10_049_999n), /pays 10.049999 usdt, not exactly 10.05: 0.000001 less/],
    ['somebody else', () => pays(10_050_000n, STRANGER), /pays no usdt/],
    ['another token', () => pays(10_050_000n, LP, bytes()), /pays no usdt/],
    [
      'nothing, because it was reverted',
      () => put((id) => contractCall(id, TOKEN, [], AT, { result: 'FAILED', receipt: { result: 'REVERT' } })),
      /failed: REVERT/,
    ],
    [
      'nothing, because its energy ran out, whatever its log says',
      () => {
        const log = [transferLog(TOKEN, PAYER, LP, 10_050_000n)];
        const out = { result: 'FAILED', receipt: { result: 'OUT_OF_ENERGY' } };
        return put((id) => contractCall(id, TOKEN, log, AT, out));
      },
      /failed: OUT_OF_ENERGY/,
    ],
    [
      'nothing, but was approved to',
      () => {
        const log = { ...transferLog(TOKEN, PAYER, LP, 10_050_000n) };
        log.topics = [
          '8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
          ...log.topics.slice(1),
        ];
        return put((id) => contractCall(id, TOKEN, [log], AT));
      },
      /pays no usdt/,
    ],
  ])('that pays %s is invalid', async (_what, made, reason) => {
    expect(await verify(made())).toEqual(invalid(reason));
  });

  test.each<[string, Partial<TronSettings>]>([
    ['deposit address', { depositAddress: tronAddress(PAYER) }],
    ['reserve address', { depositAddress: tronAddress(STRANGER), reserveAddresses: [tronAddress(PAYER)] }],
  ])('from the platform’s %s is a payout, and pays nothing else', async (_what, own) => {
    const hash = pays(10_050_000n);
    const reason = `The transaction comes from ${tronAddress(PAYER)}, which is the platform’s own address: only the payer’s own transfer can be the payment`;
    expect(await verify(hash, {}, settings(own))).toEqual({ kind: 'invalid', reason });
    expect(await verify(hash, { platformMaySend: true }, settings(own))).toMatchObject({ kind: 'verified' });
  });

  test('from before the order is invalid', async () => {
    const notBefore = new Date(AT + 3_600_000);
    expect(await verify(pays(10_050_000n), { notBefore })).toEqual(invalid(/before what it should pay for/));
  });

  test('is an error if the contract’s decimals differ from the settings', async () => {
    const wrong = settings({ tokens: { usdt: { contract: tronAddress(TOKEN), decimals: 18 } } });
    const failure = 'trx cannot be queried: the contract of usdt has 6 decimals, the settings say 18';
    await expect(verify(pays(1n), {}, wrong)).rejects.toThrow(failure);
  });
});

describe('a payment in TRX', () => {
  const trx = (type: string, value: object, result = 'SUCCESS') =>
    put(
      (id) => ({ id, blockNumber: 7, blockTimeStamp: AT, contractResult: [''], receipt: { net_usage: 268 } }),
      {
        transaction: {
          ret: [{ contractRet: result }],
          raw_data: {
            contract: [{ type, parameter: { type_url: `type.googleapis.com/protocol.${type}`, value } }],
          },
        },
      },
    );
  const to = (bytes20: string, amount: number) => ({
    owner_address: `41${PAYER}`,
    to_address: `41${bytes20}`,
    amount,
  });

  test('is verified by what the transaction transfers', async () => {
    const hash = trx('TransferContract', to(LP, 10_050_000));
    expect(await verify(hash, { symbol: 'trx' })).toEqual({ kind: 'verified', paid: '10.05', note: null });
    const more = trx('TransferContract', to(LP, 10_050_001));
    expect(await verify(more, { symbol: 'trx' })).toEqual(invalid(/pays 10.050001 trx, not exactly 10.05/));
  });

  test('from the platform’s own address is not the payer’s', async () => {
    const hash = trx('TransferContract', to(LP, 10_050_000));
    const own = settings({ reserveAddresses: [tronAddress(PAYER)] });
    expect(await verify(hash, { symbol: 'trx' }, own)).toEqual(
      invalid(/which is the platform’s own address/),
    );
  });

  test.each<[string, () => string]>([
    ['goes elsewhere', () => trx('TransferContract', to(STRANGER, 12_000_000))],
    ['is no transfer', () => trx('VoteWitnessContract', to(LP, 12_000_000))],
    ['failed', () => trx('TransferContract', to(LP, 12_000_000), 'REVERT')],
  ])('that %s is invalid', async (_what, made) => {
    expect(await verify(made(), { symbol: 'trx' })).toEqual(invalid(/pays no trx/));
  });
});

test('a payment in TRX is not invalid while a second node does not know it', async () => {
  const hash = put((id) => ({ id, blockNumber: 7, blockTimeStamp: AT, receipt: { net_usage: 268 } }));
  await expect(verify(hash, { symbol: 'trx' })).rejects.toThrow(
    'trx cannot be queried: the node does not return a transaction that is solidified',
  );
});

describe('a node that fails', () => {
  const refusal = { Error: 'class org.tron.core.exception.BadItemException : key-of-the-node' };
  test.each<[string, Parameters<TronNode['server']['answer']>[0], RegExp]>([
    ['refuses the key', () => ({ status: 401, json: refusal }), /HTTP 401/],
    ['is busy', () => ({ status: 429, text: 'slow down' }), /HTTP 429/],
    ['answers an error with status 200', () => ({ json: refusal }), /the node refused/],
    ['does not return JSON', () => ({ text: '<html>' }), /the node refused/],
    ['returns another form', () => ({ json: { blockNumber: 'seven' } }), /an unexpected form|decimals/],
    ['hangs', () => 'hang', /no answer within/],
  ])('because it %s is an error without address or key', async (_what, reply, message) => {
    const hash = pays(10_050_000n);
    node.server.answer(reply);
    const failure = await verify(hash).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(failure?.message).toMatch(/^trx cannot be queried: /);
    expect(failure?.message).toMatch(message);
    expect(failure?.message).not.toMatch(/127\.0\.0\.1|key-of-the-node/);
  });

  test('because it does not listen is an error', async () => {
    const away = settings({ rpcUrl: 'http://127.0.0.1:1' });
    await expect(verify('ab'.repeat(32), {}, away)).rejects.toThrow(/^trx cannot be queried: no connection/);
  });
});

describe('an address of Tron', () => {
  test('is 20 bytes with a checksum', () => {
    // The contract of Tether on the main network.
    const known = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';
    expect(tronAddressBytes('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe(known);
    for (const one of [PAYER, LP, '00'.repeat(20), 'ff'.repeat(20)]) {
      expect(tronAddressBytes(tronAddress(one))).toBe(one);
    }
  });

  test.each([
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6',
    '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
    'TMyReceiveAddress',
    'T000000000000000000000000000000000',
    '',
  ])('is not %p', (text) => {
    expect(tronAddressBytes(text)).toBeUndefined();
  });
});

test('an order is completed by a payment on Tron, once it is solidified', async () => {
  const corridor = await startCorridor({
    env: {
      SANDBOX: 'true',
      CHAIN_TRX_RPC_URL: node.server.url,
      CHAIN_TRX_TOKENS: `usdt:${tronAddress(TOKEN)}:6`,
      CHAIN_TRX_DEPOSIT_ADDRESS: tronAddress(STRANGER),
    },
  });
  const verifications = await watchVerifications(corridor);
  try {
    const agent = await newAgent(corridor);
    const lp = await lpOn(
      corridor,
      { symbol: 'usdt', chain: 'trx', address: tronAddress(LP) },
      { collateral: 0 },
    );
    // Its collateral arrives the same way.
    const made = await lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount: 100 });
    const { pay_to } = made.body;
    expect(pay_to).toEqual({ chain: 'trx', address: tronAddress(STRANGER), amount: expect.any(Number) });
    const units = BigInt(Math.round(pay_to.amount * 1e6));
    const tx_hash = put((id) =>
      contractCall(id, TOKEN, [transferLog(TOKEN, PAYER, STRANGER, units)], Date.now()),
    );
    const path = `/api/lp/${lp.key}/collateral/${made.body.deposit_id}/confirm`;
    expect((await lp.call('POST', path, { tx_hash })).status).toBe(200);

    const id = await confirmedOrder(agent, lp);
    const { amount_crypto } = await expectStatus(200, agent.call('GET', `/api/orders/${id}`));
    const log = [transferLog(TOKEN, PAYER, LP, BigInt(Math.round(amount_crypto * 1e6)))];
    const hash = put((tx) => contractCall(tx, TOKEN, log, Date.now()), { solidified: false });
    expect((await settle(agent, id, hash)).status).toBe(200);
    await eventually(async () =>
      /block 32880248 is not solidified/.test((await verifications.lastFailure(id)) ?? ''),
    );
    expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
    const known = node.transactions.get(hash);
    if (known) known.solidified = true;
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  } finally {
    await verifications.close();
    await corridor.stop();
  }
});
