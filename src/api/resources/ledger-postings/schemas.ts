import { z } from 'zod';
import { lpOfAccount } from '../../../db/ledger/accounts.ts';
import { POSTING_KINDS } from '../../../domain/posting.ts';
import { nextCursor, pageQuery } from '../../schemas/pages.ts';
import { chain, describeField, line, listValues, txHash, usdAmount } from '../../schemas/request-fields.ts';
import { chainName, id, time, usdMoney } from '../../schemas/response-fields.ts';

const kind = z.enum(POSTING_KINDS);

const idInBody = z
  .number()
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .describe('A positive whole number.');

const account = z
  .string()
  .refine((name) => lpOfAccount(name) !== undefined, 'must be an account such as lp:7:available')
  .describe(
    'One of `outside`, `platform:fees`, `platform:slashed`, and `lp:7:available`, `lp:7:locked` and `lp:7:withdrawing` with the id of an LP.',
  );

/** The fields of all postings. */
const note = {
  amount: describeField(usdAmount, 'The money to post.'),
  reason: describeField(line(500), 'The reason, which stays in the books.'),
  chain: describeField(
    chain,
    'The chain of `tx_hash`. Required with it, and refused without it. Default: none.',
  ).optional(),
  tx_hash: describeField(
    txHash,
    'The transaction that moved the money outside. A transaction can be recorded only once. Default: none.',
  ).optional(),
  reference: describeField(
    line(200),
    'Another reference to the movement, such as a bank’s. Default: none.',
  ).optional(),
};

const bothOrNeither = ({ chain, tx_hash }: { chain?: string | undefined; tx_hash?: string | undefined }) =>
  (chain === undefined) === (tx_hash === undefined);
const BOTH_OR_NEITHER = { path: ['chain'], error: 'name both chain and tx_hash, or neither' };

/** `POST /api/admin/ledger/payouts`. */
export const payoutRequest = z
  .object(note)
  .refine(bothOrNeither, BOTH_OR_NEITHER)
  .meta({ examples: [{ amount: 0.25, reason: 'Fees of January', reference: 'bank 2026-01-31/7' }] });

/** `POST /api/admin/ledger/compensations`. */
export const compensationRequest = z
  .object({
    ...note,
    order_id: describeField(idInBody, 'The order in which the party was harmed.'),
    lp_id: describeField(
      idInBody,
      'The LP whose collateral gets the money. Default: none, because you have paid the payer outside.',
    ).optional(),
  })
  .refine(bothOrNeither, BOTH_OR_NEITHER)
  .meta({ examples: [{ amount: 1.5, order_id: 4, reason: 'The payer paid, and got nothing' }] });

/** `POST /api/admin/ledger/adjustments`. */
export const adjustmentRequest = z
  .object({
    ...note,
    debit: describeField(account, 'The account that the money leaves.'),
    credit: describeField(account, 'The account that the money reaches.'),
    order_id: describeField(idInBody, 'The order that the posting concerns. Default: none.').optional(),
  })
  .refine(bothOrNeither, BOTH_OR_NEITHER)
  .meta({
    examples: [
      {
        ...{ debit: 'platform:fees', credit: 'lp:1:available', amount: 0.05 },
        ...{ reason: 'A fee taken in error' },
      },
    ],
  });

export const posting = z.strictObject({
  id,
  kind,
  debit: z.string().describe('The account that the money left.'),
  credit: z.string().describe('The account that the money reached.'),
  amount: usdMoney,
  reason: z.string(),
  order_id: id.nullable(),
  chain: chainName.nullable(),
  tx_hash: z.string().nullable(),
  reference: z.string().nullable(),
  recorded_by: z.string().describe('The admin who recorded it, such as `admin:3`.'),
  created_at: time,
});
export type PostingView = z.output<typeof posting>;

export const replayedPosting = posting.extend({ idempotent_replay: z.literal(true) });

/** `GET /api/admin/ledger/postings`. */
export const postingQuery = pageQuery.extend({
  kind: kind.optional().describe(`Only postings of this kind. ${listValues(POSTING_KINDS)} Default: all.`),
});
export const postingPage = z.strictObject({ postings: z.array(posting), next_cursor: nextCursor });

/** `GET /api/admin/ledger/accounts`. */
export const accountList = z.strictObject({
  accounts: z
    .array(
      z.strictObject({
        account: z.string().describe('`lp:*:available` and so on stand for the accounts of all LPs.'),
        balance: z
          .number()
          .describe('In USD. Negative for `outside`: minus the deposits that have not been withdrawn.'),
      }),
    )
    .describe('They add up to zero.'),
});
export type AccountList = z.output<typeof accountList>;
