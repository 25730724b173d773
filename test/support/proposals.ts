import { type Answer, type Call, expectStatus } from '../../dev/http-client.ts';
import type { TestCorridor } from './corridor.ts';

/**
 * With `APPROVALS=on`: a treasurer's proposal to resolve a disputed order with a slash, which waits, one of `root`, which
 * waits too, and a rejected one.
 */
export async function proposeThree(corridor: TestCorridor, disputed: number): Promise<void> {
  const ann = { name: 'Ann', role: 'treasurer' };
  const { api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', ann));
  const treasurer = corridor.as(api_key);
  const post = async (call: typeof treasurer, path: string, body: object, key = 'one'): Promise<number> => {
    const headers = { 'idempotency-key': key };
    return (await expectStatus(202, call('POST', `/api/admin/${path}`, body, headers))).approval.id;
  };
  const payout = { amount: 0.05, reason: 'Fees of January', reference: 'bank 2026-01-31/7' };
  const rejected = await post(treasurer, 'ledger/payouts', payout);
  await expectStatus(200, corridor.admin('POST', `/api/admin/approvals/${rejected}/reject`));
  await post(corridor.admin, 'ledger/payouts', payout, 'two');
  const resolution = { outcome: 'cancelled', slash_usd: 3.5, reason: 'The fiat never left' };
  await post(treasurer, `orders/${disputed}/resolve`, resolution);
}

let sent = 0;
/** An adjustment of the platform's fees, which needs a second admin. Default: an idempotency key of its own. */
export const postAdjustment = (
  call: Call,
  amount: number,
  headers: Record<string, string> = { 'idempotency-key': `key-${++sent}` },
): Promise<Answer> =>
  call(
    'POST',
    '/api/admin/ledger/adjustments',
    { debit: 'outside', credit: 'platform:fees', amount, reason: 'Found money' },
    headers,
  );

/** The id of the proposal that a request has become. */
export const proposed = async (answer: Promise<Answer>): Promise<number> =>
  (await expectStatus(202, answer)).approval.id;

export const decide = (call: Call, id: number, verb: 'approve' | 'reject' = 'approve') =>
  call('POST', `/api/admin/approvals/${id}/${verb}`);

export const codeOf = (answer: Answer) => [answer.status, answer.headers.get('x-error-code')];

/** The balance of the platform's fees. */
export async function feesFor(call: Call): Promise<number> {
  const { accounts } = await expectStatus(200, call('GET', '/api/admin/ledger/accounts'));
  return accounts.find((one: { account: string }) => one.account === 'platform:fees')?.balance ?? 0;
}
