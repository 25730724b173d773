import { randomBytes } from 'node:crypto';
import { sandboxTransactionRequest, sandboxTransactionResponse } from '../contract/sandbox.ts';
import { SandboxTransaction } from '../db/entities/infrastructure.ts';
import { invalidField } from '../domain/errors.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

/** The simulated chains. As on a real one, anybody may send a transaction. */
export const sandboxRoutes = ({ db, chains }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/sandbox/transactions',
    auth: 'none',
    summary: 'Put a transaction on a simulated chain',
    answers: { 201: sandboxTransactionResponse },
    refuses: [],
    body: sandboxTransactionRequest,
    handle: async ({ body }) => {
      if (!chains.get(body.chain)?.simulated)
        throw invalidField('chain', 'must be a chain that is simulated here');
      const tx_hash = randomBytes(32).toString('hex');
      const { chain, symbol, to, amount, final_after_ms } = body;
      const final_at = new Date(Date.now() + final_after_ms);
      await db.em().insert(SandboxTransaction, { chain, tx_hash, symbol, to, amount, final_at });
      return { status: 201, body: { tx_hash } };
    },
  }),
];
