import { randomBytes, randomUUID } from 'node:crypto';
import { confirmDeposit } from '../../src/db/commands/confirm-deposit.ts';
import {
  createOrder,
  type NewOrder,
  nextOrderId,
  type Replayable,
} from '../../src/db/commands/create-order.ts';
import { registerLp } from '../../src/db/commands/register-lp.ts';
import { AgentKey } from '../../src/db/entities/agent-key.ts';
import { CollateralDeposit } from '../../src/db/entities/ledger.ts';
import { Lp, LpAsset } from '../../src/db/entities/lp.ts';
import { User } from '../../src/db/entities/user.ts';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { orderState, performStep, STATE_COLUMNS, type StateRow } from '../../src/db/steps/perform-step.ts';
import type { Command } from '../../src/domain/order-commands.ts';
import { decide } from '../../src/domain/order-decision.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import { quote } from '../../src/domain/quote.ts';
import type { StepReport } from '../../src/domain/steps.ts';
import { freshDatabase } from './database.ts';

/** Orders and money on the database alone: no API, no workflow, only the commands and steps that they use. */
export interface Books {
  url: string;
  db: Database;
  newLp: (options?: { tier?: number; asset?: boolean }) => Promise<number>;
  /** Announces a deposit; gives its id. */
  announce: (lpId: number, amount: string, txHash?: string) => Promise<number>;
  /** A deposit that is announced and confirmed; gives its id. */
  deposit: (lpId: number, amount: string) => Promise<number>;
  /** What an order of this amount is created from. */
  draft: (lpId: number, amountFiat: string, feeBps?: number) => Promise<NewOrder>;
  create: (order: NewOrder, replay?: Replayable | null) => Promise<boolean>;
  exists: (orderId: number) => Promise<boolean>;
  state: (orderId: number) => Promise<OrderState>;
  /** Carries a command out that the order's state allows. */
  act: (orderId: number, command: Command) => Promise<StepReport>;
}

const RATE_USD = '129.5';

/** Of a fresh database, unless a migrated one is given by its URL. */
export async function openBooks(given?: string): Promise<Books> {
  const url = given ?? (await freshDatabase());
  const db = await openDatabase({ url, debug: () => undefined, queryTimeoutMs: 60_000 });
  const agent_key_id = Number(await db.em().insert(AgentKey, { name: 'books', key_hash: randomBytes(32) }));
  const user_id = Number(await db.em().insert(User, { name: null }));

  const announce: Books['announce'] = async (lp_id, amount, tx_hash) => {
    const deposit = { lp_id, amount, asset: 'usdt', chain: 'trx', tx_hash: tx_hash ?? null } as const;
    return Number(await db.em().insert(CollateralDeposit, deposit));
  };
  const state: Books['state'] = async (orderId) => {
    const { rows } = await db.pool.query<StateRow>(`select ${STATE_COLUMNS} from orders where id = $1`, [
      orderId,
    ]);
    if (!rows[0]) throw new Error(`There is no order ${orderId}`);
    return orderState(rows[0]);
  };

  return {
    url,
    db,
    announce,
    state,
    exists: async (orderId) =>
      (await db.pool.query('select from orders where id = $1', [orderId])).rowCount === 1,
    newLp: async ({ tier = 0, asset = true } = {}) => {
      const { lpId } = await registerLp(db, {
        keyHash: randomBytes(32),
        xrplAddress: 'rBooks',
        mpesaPhone: '+254711000002',
        displayName: undefined,
        spreadBps: 0,
        status: 'approved',
        rates: { KES: RATE_USD },
      });
      await db.em().nativeUpdate(Lp, { id: lpId }, { tier });
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
      return {
        id: await nextOrderId(db),
        payment_id: `pay_${randomBytes(12).toString('hex')}`,
        ...{ agent_key_id, user_id, lp_id },
        ...{ amount_fiat: amountFiat, currency: 'KES', rate_usd: RATE_USD, spread_bps: 0, ...quote(price) },
        ...{ crypto_symbol: 'usdt', crypto_chain: 'trx', recipient: '+254700000001', recipient_name: null },
        ...{
          method: 'mobile_money',
          callback_url: null,
          status: 'matched',
          expires_at: soon,
          timeout_at: soon,
        },
      };
    },
    create: async (order, replay = null) => (await createOrder(db, order, replay, null)) !== undefined,
    act: async (orderId, command) => {
      const order = await state(orderId);
      const decision = decide(order, command);
      if (decision.kind !== 'apply')
        throw new Error(`${command.trigger} of a ${order.status} order is refused`);
      const report = await performStep(db, decision.step, {
        orderId,
        version: order.version,
        requestId: randomUUID(),
        to: decision.to,
        deadline: null,
        actor: 'service',
        command,
        reason: null,
      });
      if (report.result !== 'applied') throw new Error(`${command.trigger}: ${report.result}`);
      return report;
    },
  };
}
