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
import { crashPoint } from '../crash-point.ts';
import { confirmDeposit } from '../db/commands/confirm-deposit.ts';
import { publishRate, registerAsset } from '../db/commands/publish-terms.ts';
import { registerLp } from '../db/commands/register-lp.ts';
import { CollateralDeposit } from '../db/entities/ledger.ts';
import { DomainError } from '../domain/errors.ts';
import { hashKey, newLpKey } from '../keys.ts';
import { acceptedToken, requireAddress } from '../orders/accepted-tokens.ts';
import { checkRates } from '../orders/check-rates.ts';
import { verifyDeposit } from '../orders/verify-deposit.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { requireTxHash } from './tx-hash.ts';
import { idFrom } from './validate.ts';

/** Contract: "LP API": registration, terms and collateral. */
export const lpRoutes = ({ db, chains, prices, settings, log }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/register',
    auth: 'none',
    summary: 'Register a liquidity provider',
    answers: { 201: registerResponse },
    refuses: ['rate_off_reference'],
    clientLimit: { name: 'register', max: settings.registerRateLimit },
    body: registerRequest,
    handle: async ({ body }) => {
      await checkRates(prices, body.supported_currencies);
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
    refuses: ['rate_off_reference'],
    body: rateRequest,
    handle: async ({ principal: lp, body }) => {
      await checkRates(prices, { [body.currency]: body.rate_usd });
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
    refuses: ['asset_not_accepted'],
    body: assetRequest,
    handle: async ({ principal: lp, body }) => {
      requireAddress(chains, body.symbol, body);
      await registerAsset(db, lp.id, body);
      return { status: 201, body: { ok: true } };
    },
  }),
  route({
    method: 'post',
    path: '/api/lp/:lp_key/collateral/deposit',
    auth: 'lp',
    summary: 'Announce a deposit of collateral',
    description:
      'Where the answer has `pay_to`, that is where the tokens go, and `tx_hash` proves that they went. Announce the hash before the transaction is sent: of several LPs that announce one, the first has it.',
    answers: { 200: depositResponse },
    refuses: ['asset_not_accepted'],
    body: depositRequest,
    handle: async ({ principal: lp, body }) => {
      const { amount, asset, chain, tx_hash = null } = body;
      const { verifier } = acceptedToken(chains, asset, chain);
      if (!verifier.simulated && !verifier.depositAddress)
        throw new DomainError('asset_not_accepted', `Collateral on ${chain} is not taken here`);
      if (tx_hash !== null) requireTxHash(verifier, chain, tx_hash);
      const id = await db.em().insert(CollateralDeposit, { lp_id: lp.id, amount, asset, chain, tx_hash });
      crashPoint('deposit.announced');
      const pay_to = verifier.depositAddress;
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
      await verifyDeposit({ db, chains, log }, deposit, lp);
      await confirmDeposit(db, deposit.id, deposit.tx_hash ?? null);
      return { status: 200, body: { ok: true } };
    },
  }),
];
