import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  maskDetails,
  maskRecipient,
  orderView,
  type RowLike,
  statusView,
  webhookData,
} from '../../src/domain/order-view.ts';

/** A whole row as SQL returns it, with columns that must not be exposed. */
const ROW = {
  id: 42,
  payment_id: 'pay_secret',
  agent_key_id: 9,
  user_id: 5,
  lp_id: 7,
  type: 'payout',
  amount_fiat: '1295.00',
  currency: 'KES',
  rate_usd: '129.50000000',
  amount_usd: '10.000000',
  amount_crypto: '10.050000',
  crypto_symbol: 'usdt',
  crypto_chain: 'trx',
  recipient: '+254700123456',
  recipient_name: 'Jane Wanjiku',
  method: 'mobile_money',
  lp_receive_address: 'TAddress',
  user_crypto_tx_hash: null,
  spread_bps: 150,
  fee_usd: '0.050000',
  status: 'claimed',
  status_reason: 'private reason',
  version: 2,
  collateral_locked: '10.00',
  reoffers: 0,
  rejections: 0,
  replacements: 0,
  excluded_lp_ids: [3],
  timeout_at: new Date('2026-03-01T10:00:00.000Z'),
  created_at: '2026-03-01 09:00:00.123+00',
  completed_at: null,
  callback_url: 'https://agent.example/hook?token=private',
  receipt_url: 'https://agent.example/receipt',
};

const withTag = (address: string, tag: number) => `${address}+${tag}`;

const PUBLIC_VIEW = {
  id: 42,
  lp_id: 7,
  type: 'payout',
  amount_fiat: 1295,
  currency: 'KES',
  amount_usd: 10,
  amount_crypto: 10.05,
  crypto_symbol: 'usdt',
  crypto_chain: 'trx',
  lp_receive_address: 'TAddress',
  user_crypto_tx_hash: null,
  spread_bps: 150,
  fee_usd: 0.05,
  status: 'claimed',
  timeout_at: '2026-03-01T10:00:00.000Z',
  created_at: '2026-03-01T09:00:00.123Z',
  completed_at: null,
  cancelled_at: null,
};

const PARTY_VIEW = {
  ...PUBLIC_VIEW,
  user_id: 5,
  callback_url: 'https://agent.example/hook?token=private',
  receipt_url: 'https://agent.example/receipt',
};

describe('the order for its readers', () => {
  test('shows the public no user, callback or receipt, and no reader the recipient', () => {
    expect(orderView(ROW, 'public')).toEqual(PUBLIC_VIEW);
  });

  test('shows its agent and admins these three fields as well', () => {
    expect(orderView(ROW, 'party')).toEqual(PARTY_VIEW);
  });

  test('shows its LP the receipt, and of the callback only the host', () => {
    const { receipt_url } = ROW;
    expect(orderView(ROW, 'lp')).toEqual({ ...PUBLIC_VIEW, receipt_url, callback_host: 'agent.example' });
    for (const callback_url of [null, 'no URL'])
      expect(orderView({ ...ROW, callback_url }, 'lp')).toMatchObject({ callback_host: null });
  });

  test('is sent in a webhook without the fields that have no value', () => {
    const { user_crypto_tx_hash: _a, completed_at: _b, cancelled_at: _c, ...present } = PARTY_VIEW;
    expect(webhookData(ROW, withTag)).toEqual(present);
  });

  test('shows a destination tag only if there is one, and in a webhook as part of the address', () => {
    for (const destination_tag of [0, 4_294_967_295]) {
      const row = { ...ROW, destination_tag };
      expect(orderView(row, 'public')).toEqual({ ...PUBLIC_VIEW, destination_tag });
      const data = webhookData(row, withTag);
      expect(data).toMatchObject({ lp_receive_address: `TAddress+${destination_tag}` });
      expect(data).not.toHaveProperty('destination_tag');
      // An address without its tag would be worse than no address.
      expect(webhookData(row, () => undefined)).not.toHaveProperty('lp_receive_address');
    }
    expect(orderView({ ...ROW, destination_tag: null }, 'public')).toEqual(PUBLIC_VIEW);
  });

  test('keeps a zero in a webhook, which is a value', () => {
    expect(webhookData({ id: 1, spread_bps: 0, fee_usd: '0.000000' }, withTag)).toEqual({
      id: 1,
      spread_bps: 0,
      fee_usd: 0,
    });
  });

  test('returns no column that the contract does not name', () => {
    const named = new Set(Object.keys(PARTY_VIEW));
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('recipient', 'recipient_name', 'key_hash', 'constructor'),
    );
    const extra = fc.dictionary(
      name.filter((key) => !named.has(key)),
      fc.constant('must-not-leave'),
    );
    fc.assert(
      fc.property(extra, fc.constantFrom('party', 'public'), (columns, audience) => {
        const row = { ...ROW, ...columns } as RowLike;
        expect(JSON.stringify(orderView(row, audience))).not.toContain('must-not-leave');
        expect(JSON.stringify(webhookData(row, withTag))).not.toContain('must-not-leave');
        expect(orderView(row, audience)).toEqual(audience === 'party' ? PARTY_VIEW : PUBLIC_VIEW);
      }),
    );
  });
});

describe('the status of a payment', () => {
  const row = {
    id: 42,
    status: 'completed' as const,
    amount_fiat: '1295.00',
    currency: 'KES',
    crypto_symbol: 'usdt',
    amount_crypto: '10.050000',
    user_crypto_tx_hash: 'abcd',
    created_at: new Date('2026-03-01T09:00:00.123Z'),
    completed_at: new Date('2026-03-01T10:00:00.000Z'),
  };

  test('has exactly the fields of the contract, amounts as numbers', () => {
    expect(statusView({ ...row, recipient: '+254700123456' } as typeof row)).toEqual({
      order_id: 42,
      status: 'completed',
      amount_fiat: 1295,
      currency: 'KES',
      crypto_symbol: 'usdt',
      crypto_amount: 10.05,
      tx_hash: 'abcd',
      created_at: '2026-03-01T09:00:00.123Z',
      completed_at: '2026-03-01T10:00:00.000Z',
    });
  });

  test('shows the recipient check that its payment named', () => {
    const check = {
      recipient_check_id: 'rc_1',
      result: 'partial',
      name_masked: 'J•••',
      checked_at: '2026-03-01T08:59:00.000Z',
    } as const;
    expect(statusView({ ...row, recipient_check: check })).toMatchObject({ recipient_check: check });
    expect(statusView({ ...row, recipient_check: null })).not.toHaveProperty('recipient_check');
  });

  test('has null for what has not happened yet', () => {
    const early = statusView({ ...row, user_crypto_tx_hash: null, completed_at: undefined });
    expect([early.tx_hash, early.completed_at]).toEqual([null, null]);
  });
});

describe('a masked recipient', () => {
  // A dot in the recipient would be counted as masked.
  const recipient = fc.string({ unit: 'grapheme-composite' }).filter((text) => !text.includes('•'));
  const shown = (text: string) => [...maskRecipient(text)].filter((c) => c !== '•');

  test.each([
    ['+254700123456', '+2•••••••••56'],
    ['12345678', '12••••78'],
    ['1234567', '•••••••'],
    ['', ''],
  ])('%p becomes %p', (given, masked) => {
    expect(maskRecipient(given)).toBe(masked);
  });

  test('masks each of its fields', () => {
    const details = { business_number: '888880', account_number: 'INV 2041' };
    expect(maskDetails(details)).toEqual({ business_number: '••••••', account_number: 'IN••••41' });
  });

  test('of 8 characters or more shows its first two and last two, and keeps its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 8, maxLength: 128 }), (given) => {
        const characters = [...given];
        fc.pre(!given.includes('•'));
        expect(shown(given)).toEqual([...characters.slice(0, 2), ...characters.slice(-2)]);
        expect([...maskRecipient(given)]).toHaveLength(characters.length);
      }),
    );
  });

  test('of fewer characters shows no character', () => {
    fc.assert(
      fc.property(recipient, (given) => {
        fc.pre([...given].length < 8);
        expect(maskRecipient(given)).toBe('•'.repeat([...given].length));
      }),
    );
  });
});
