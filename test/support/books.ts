import { randomBytes } from 'node:crypto';
import { AgentKey } from '../../src/db/entities/agent-key.ts';
import { LpAutoClaim } from '../../src/db/entities/auto-claim.ts';
import { CollateralDeposit } from '../../src/db/entities/ledger.ts';
import { Lp, LpAsset } from '../../src/db/entities/lp.ts';
import { User } from '../../src/db/entities/user.ts';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { decimal } from '../../src/domain/money.ts';
import type { Command } from '../../src/domain/order-commands.ts';
import { decide } from '../../src/domain/order-decision.ts';
import { type OrderState, STAGES } from '../../src/domain/order-state.ts';
import { isFinding, type StepReport } from '../../src/domain/order-steps.ts';
import type { Verdict } from '../../src/domain/payment-verdict.ts';
import { quote } from '../../src/domain/quote.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';
import { confirmDeposit } from '../../src/market/collateral/confirm-deposit.ts';
import { registerLp } from '../../src/market/lps/register-lp.ts';
import { createOrder, nextOrder, type Replayable } from '../../src/orders/create-order.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { type RecordedVerdict, recordVerdict } from '../../src/orders/record-verdict.ts';
import { freshDatabase } from './database.ts';
import { stateOf, takeStep } from './take-step.ts';

/** Orders and money with only a database: the commands and steps, without an API or workflows. */
export interface Books {
  url: string;
  db: Database;
  newLp: (options?: { tier?: number; asset?: boolean }) => Promise<number>;
  /** Announces a deposit, and returns its id. */
  announce: (lpId: number, amount: string, txHash?: string) => Promise<number>;
  /** Announces and confirms a deposit, and returns its id. */
  deposit: (lpId: number, amount: string) => Promise<number>;
  /** The values of a new order of this amount. */
  draft: (lpId: number, amountFiat: string, feeBps?: number) => Promise<NewOrder>;
  create: (order: NewOrder, replay?: Replayable | null) => Promise<boolean>;
  exists: (orderId: number) => Promise<boolean>;
  state: (orderId: number) => Promise<OrderState>;
  /** Records this result of a chain check. */
  check: (orderId: number, kind: Verdict['kind']) => Promise<RecordedVerdict>;
  /** Gives the order to an agent key that is revoked. */
  revokeAgentOf: (orderId: number) => Promise<void>;
  /** Applies a command, with the chain check that a verdict needs. Throws if the order's state does not allow it. */
  apply: (orderId: number, command: Command) => Promise<StepReport>;
}

const RATE_USD = '129.5';

/** Opens books on the migrated database with this URL, or on a fresh one. */
export async function openBooks(given?: string): Promise<Books> {
  const url = given ?? (await freshDatabase());
  const db = await openDatabase({ url, debug: () => undefined, queryTimeoutMs: 60_000 });
  const agent_key_id = Number(
    await db.em().insert(AgentKey, { name: 'books', key_hash: randomBytes(32), max_exposure_usd: '0' }),
  );
  const user_id = Number(await db.em().insert(User, { name: null }));

  const announce: Books['announce'] = async (lp_id, amount, tx_hash) => {
    const deposit = { lp_id, amount, asset: 'usdt', chain: 'trx', tx_hash: tx_hash ?? null } as const;
    // The announcement expires first, which frees its amount. So many LPs can have exactly the same collateral.
    const id = Number(await db.em().insert(CollateralDeposit, { ...deposit, expires_at: new Date(0) }));
    await db.em().nativeUpdate(CollateralDeposit, { id }, { expires_at: new Date(Date.now() + 3_600_000) });
    return id;
  };
  const state: Books['state'] = (orderId) => stateOf(db, orderId);

  const check: Books['check'] = async (orderId, kind) => {
    const { version, txHash } = await state(orderId);
    const verdict = {
      kind,
      paid: '1',
      note: null,
      reason: reasonOf('other_address'),
      confirmations: '1 of 2',
    };
    return recordVerdict(db, { orderId, version, chain: 'trx', txHash: txHash ?? '' }, verdict as Verdict);
  };

  return {
    url,
    db,
    announce,
    state,
    check,
    exists: async (orderId) =>
      (await db.pool.query('select from orders where id = $1', [orderId])).rowCount === 1,
    revokeAgentOf: async (orderId) => {
      const revoked = { name: 'revoked', key_hash: randomBytes(32), max_exposure_usd: '0', is_active: false };
      const id = Number(await db.em().insert(AgentKey, revoked));
      await db.pool.query('update orders set agent_key_id = $2 where id = $1', [orderId, id]);
    },
    newLp: async ({ tier = 0, asset = true } = {}) => {
      const { lpId } = await registerLp(db, {
        keyHash: randomBytes(32),
        xrplAddress: 'rBooks',
        mpesaPhone: '+254711000002',
        displayName: undefined,
        spreadBps: 0,
        status: 'approved',
        rates: [{ currency: 'KES', method: 'mobile_money', rate_usd: RATE_USD }],
        validUntil: new Date(Date.now() + 86_400_000),
      });
      await db.em().nativeUpdate(Lp, { id: lpId }, { tier });
      const auto = { enabled: true, currencies: ['KES'], min_profit_usd: '-1' };
      await db.em().insert(LpAutoClaim, { lp_id: lpId, ...auto });
      const address = `T${lpId}`;
      if (asset) await db.em().insert(LpAsset, { lp_id: lpId, symbol: 'usdt', chain: 'trx', address });
      return lpId;
    },
    deposit: async (lpId, amount) => {
      const id = await announce(lpId, amount);
      await confirmDeposit(db, id, null);
      return id;
    },
    draft: async (lp_id, amountFiat, feeBps = 50) => {
      const soon = new Date(Date.now() + 3_600_000);
      const price = {
        amountFiat,
        rateUsd: RATE_USD,
        spreadBps: 0,
        feeBps,
        cryptoUsd: '1',
        cryptoDecimals: 6,
      };
      const { id } = await nextOrder(db);
      const quoted = quote(price);
      return {
        id,
        payment_id: `pay_${randomBytes(12).toString('hex')}`,
        ...{ agent_key_id, user_id, lp_id },
        ...{ amount_fiat: amountFiat, currency: 'KES', rate_usd: RATE_USD, spread_bps: 0, ...quoted },
        // A unique amount, derived from the id.
        amount_crypto: decimal(id).div(1e12).plus(quoted.amount_crypto).toFixed(12),
        ...{ crypto_symbol: 'usdt', crypto_chain: 'trx', recipient: '+254700000001', recipient_name: null },
        ...{
          method: 'mobile_money',
          corridor_method: 'mobile_money',
          institution: null,
          recipient_details: null,
          recipient_check: null,
          callback_url: null,
          status: 'matched',
          expires_at: soon,
          timeout_at: soon,
          stage_ms: STAGES.map(() => 3_600_000),
        },
      };
    },
    create: async (order, replay = null) => {
      const created = await createOrder(db, order, replay, null);
      if (created === 'amount_taken') throw new Error(`Another order asks for ${order.amount_crypto}`);
      return created !== undefined;
    },
    apply: async (orderId, command) => {
      const { trigger } = command;
      if (trigger === 'verified' || trigger === 'invalid') await check(orderId, trigger);
      // The books set no deadlines. The column would round the time up to a millisecond that has not come yet.
      if (trigger === 'deadline')
        await db.pool.query(
          `update orders set timeout_at = date_trunc('milliseconds', now()) where id = $1`,
          [orderId],
        );
      const order = await state(orderId);
      const take = async (asked: Command): Promise<StepReport> => {
        const decision = decide(order, asked);
        if (decision.kind !== 'apply')
          throw new Error(`${command.trigger} of a ${order.status} order is refused`);
        const report = await takeStep(db, decision.step, orderId, asked);
        const { result } = report;
        // Like the workflow, decides again with the step's finding.
        if (isFinding(result) && !('found' in asked)) return take({ ...command, found: result } as Command);
        if (result !== 'applied') throw new Error(`${command.trigger}: ${result}`);
        return report;
      };
      return take(command);
    },
  };
}
