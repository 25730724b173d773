import { z } from 'zod';
import { ok } from '../contract/answers.ts';
import {
  assetRequest,
  depositRequest,
  depositResponse,
  rateRequest,
  registerRequest,
  registerResponse,
} from '../contract/lps.ts';
import { confirmDeposit } from '../db/commands/confirm-deposit.ts';
import { publishRate, registerAsset } from '../db/commands/publish-terms.ts';
import { registerLp } from '../db/commands/register-lp.ts';
import { CollateralDeposit } from '../db/entities/ledger.ts';
import { DomainError } from '../domain/errors.ts';
import { hashKey, newLpKey } from '../keys.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';

/** Contract: "LP API": registration, terms and collateral. */
export const lpRoutes = ({ db, verifier, settings }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/register',
    auth: 'none',
    summary: 'Register a liquidity provider',
    answers: { 201: registerResponse },
    refuses: [],
    clientLimit: { name: 'register', max: settings.registerRateLimit },
    body: registerRequest,
    handle: async ({ body }) => {
      const lp_key = newLpKey();
      const { lpId, userId } = await registerLp(db, {
        keyHash: hashKey(lp_key),
        xrplAddress: body.xrpl_address,
        mpesaPhone: body.mpesa_phone,
        displayName: body.display_name,
        spreadBps: body.spread_bps,
        status: settings.lpAutoApprove ? 'approved' : 'pending',
        rates: body.supported_currencies,
      });
      return { status: 201, body: { lp_id: lpId, lp_key, user_id: userId } };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/rates',
    auth: 'lp',
    summary: 'Publish a rate',
    answers: { 200: ok },
    refuses: [],
    body: rateRequest,
    handle: async ({ principal: lp, body }) => {
      await publishRate(db, lp.id, body);
      return { status: 200, body: { ok: true } };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/assets',
    auth: 'lp',
    summary: 'Register a crypto receive address',
    answers: { 201: ok },
    refuses: [],
    body: assetRequest,
    handle: async ({ principal: lp, body }) => {
      await registerAsset(db, lp.id, body);
      return { status: 201, body: { ok: true } };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/deposit',
    auth: 'lp',
    summary: 'Announce a deposit of collateral',
    answers: { 200: depositResponse },
    refuses: [],
    body: depositRequest,
    handle: async ({ principal: lp, body }) => {
      const { amount, asset, chain, tx_hash = null } = body;
      const id = await db.em().insert(CollateralDeposit, { lp_id: lp.id, amount, asset, chain, tx_hash });
      return { status: 200, body: { ok: true, amount: Number(amount), asset, deposit_id: Number(id) } };
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
      // An LP's own word is not proof. Only the simulated chain, where nothing can be lost, takes it for one.
      if (!verifier.creditsUnproven) throw new DomainError('deposit_not_verified');
      await confirmDeposit(db, deposit.id, deposit.tx_hash ?? null);
      return { status: 200, body: { ok: true } };
    },
  }),
];
