import { CollateralDeposit } from '../../../db/entities/ledger.ts';
import { DomainError } from '../../../domain/errors.ts';
import { countNodeLookup } from '../../../http/access/node-lookups.ts';
import { announceDeposit } from '../../../market/collateral/announce-deposit.ts';
import { confirmDeposit } from '../../../market/collateral/confirm-deposit.ts';
import { verifyDeposit } from '../../../market/collateral/verify-deposit.ts';
import { acceptedToken, requireTxHash } from '../../../market/pricing/accepted-tokens.ts';
import { crashPoint } from '../../../process/crash-point.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { ok } from '../../schemas/response-fields.ts';
import { confirmDepositRequest, depositRequest, depositResponse } from './schemas.ts';

/**
 * An LP announces a deposit, sends exactly the amount in the response, and confirms it. Corridor then verifies and
 * credits it.
 */
export const collateralDepositRoutes = ({ db, chains, log, settings }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/deposit',
    auth: 'lp',
    summary: 'Announce a deposit of collateral',
    description:
      'Announce first, then send exactly `pay_to.amount` to `pay_to.address` before `expires_at`. Another amount is not credited.',
    answers: { 200: depositResponse },
    refuses: ['asset_not_accepted', 'too_many_deposits', 'amounts_exhausted'],
    keyLimit: { name: 'announce-deposit', max: settings.limits.announceDeposit },
    body: depositRequest,
    handle: async ({ principal: lp, body }) => {
      const { amount, asset, chain, tx_hash = null } = body;
      const { verifier, decimals } = acceptedToken(chains, asset, chain);
      const { depositAddress: address, depositTag: tag } = verifier;
      if (address === null)
        throw new DomainError('asset_not_accepted', `Collateral on ${chain} is not accepted here`);
      if (tx_hash !== null) requireTxHash(verifier, chain, tx_hash);
      const announcement = { lpId: lp.id, amount, asset, chain, txHash: tx_hash };
      const lifetime = settings.depositTimeout;
      const made = await announceDeposit(db, announcement, { decimals, lifetime });
      crashPoint('deposit.announced');
      return {
        status: 200,
        body: {
          ok: true,
          amount: Number(amount),
          asset,
          deposit_id: made.id,
          pay_to: {
            chain,
            address,
            amount: Number(made.amount),
            ...(tag === null ? {} : { destination_tag: tag }),
          },
          expires_at: made.expires_at.toISOString(),
        },
      };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/:deposit_id/confirm',
    auth: 'lp',
    summary: 'Confirm a deposit, so that Corridor verifies and credits it',
    description:
      'Repeat the call until the transaction is final. Without `tx_hash`, Corridor searches the chain for the transfer.',
    answers: { 200: ok },
    refuses: [
      'not_found',
      'deposit_not_verified',
      'deposit_expired',
      'deposit_lookups_used',
      'too_many_lookups',
      'transaction_used',
    ],
    keyLimit: { name: 'confirm-deposit', max: settings.limits.confirmDeposit },
    body: confirmDepositRequest,
    handle: async ({ principal: lp, params, body }) => {
      const deposit = await db
        .em()
        .findOne(CollateralDeposit, { id: idFrom(params.deposit_id), lp_id: lp.id });
      if (!deposit) throw new DomainError('not_found');
      if (deposit.status === 'confirmed') return { status: 200, body: { ok: true } };
      const { chainClockSkew, limits } = settings;
      const deps = {
        db,
        chains,
        log,
        chainClockSkew,
        countNodeLookup: () => countNodeLookup(db, limits, lp),
      };
      const named = body.tx_hash ?? deposit.tx_hash ?? null;
      const txHash = await verifyDeposit(deps, deposit, named);
      await confirmDeposit(db, deposit.id, txHash);
      return { status: 200, body: { ok: true } };
    },
  }),
];
