import { z } from 'zod';
import { confirmDeposit } from '../../../collateral/confirm-deposit.ts';
import { verifyDeposit } from '../../../collateral/verify-deposit.ts';
import { CollateralDeposit } from '../../../db/entities/ledger.ts';
import { DomainError } from '../../../domain/errors.ts';
import { acceptedToken, requireTxHash } from '../../../pricing/accepted-tokens.ts';
import { crashPoint } from '../../../process/crash-point.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { ok } from '../../schemas/response-fields.ts';
import { depositRequest, depositResponse } from './schemas.ts';

/** An LP announces a deposit, sends the tokens, and has Corridor verify and credit them. */
export const collateralDepositRoutes = ({ db, chains, log, settings }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/deposit',
    auth: 'lp',
    summary: 'Announce a deposit of collateral',
    description:
      'When the response has `pay_to`, send the tokens to that address; `tx_hash` proves that they arrived. An announcement reserves nothing: the first deposit that is confirmed with a transaction is credited with it.',
    answers: { 200: depositResponse },
    refuses: ['asset_not_accepted'],
    body: depositRequest,
    handle: async ({ principal: lp, body }) => {
      const { amount, asset, chain, tx_hash = null } = body;
      const { verifier } = acceptedToken(chains, asset, chain);
      if (!verifier.simulated && !verifier.depositAddress)
        throw new DomainError('asset_not_accepted', `Collateral on ${chain} is not accepted here`);
      if (tx_hash !== null) requireTxHash(verifier, chain, tx_hash);
      const id = await db.em().insert(CollateralDeposit, { lp_id: lp.id, amount, asset, chain, tx_hash });
      crashPoint('deposit.announced');
      const { depositAddress, depositTag, tags } = verifier;
      const hasTag = tags && depositAddress !== null && depositTag !== null;
      const pay_to = hasTag ? tags.encode(depositAddress, depositTag) : depositAddress;
      return {
        status: 200,
        body: { ok: true, amount: Number(amount), asset, deposit_id: Number(id), pay_to },
      };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/:deposit_id/confirm',
    auth: 'lp',
    summary: 'Have a deposit verified and credited',
    answers: { 200: ok },
    refuses: ['not_found', 'deposit_not_verified', 'transaction_used'],
    body: z.object({}),
    handle: async ({ principal: lp, params }) => {
      const deposit = await db
        .em()
        .findOne(CollateralDeposit, { id: idFrom(params.deposit_id), lp_id: lp.id });
      if (!deposit) throw new DomainError('not_found');
      if (deposit.status === 'confirmed') return { status: 200, body: { ok: true } };
      const { chainClockSkew } = settings;
      await verifyDeposit({ chains, log, chainClockSkew }, deposit, lp);
      await confirmDeposit(db, deposit.id, deposit.tx_hash ?? null);
      return { status: 200, body: { ok: true } };
    },
  }),
];
