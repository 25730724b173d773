import { randomUUID } from 'node:crypto';
import { decimal, roundDown, SCALE, toPlain } from '../../src/domain/money.ts';
import { type Command, FINDINGS, OUTCOMES, type Trigger } from '../../src/domain/order-commands.ts';
import { answerTo, decide } from '../../src/domain/order-decision.ts';
import { type OrderState, type StepName, TRANSITIONS } from '../../src/domain/order-state.ts';
import { isFinding, type StepInput } from '../../src/domain/order-steps.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { performStep, recordAnswers } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS, type StepSettings } from '../../src/orders/steps/shared/step.ts';
import type { Random } from './random.ts';
import type { RandomBooks } from './random-books.ts';

/** An order as the actors see it. Some actors use an earlier state. */
interface KnownOrder {
  id: number;
  amountUsd: string;
  bias: Record<string, number>;
  /** Every state that an actor has seen. */
  seen: OrderState[];
}

/** A command for an order in some state, for each trigger. A trigger without one fails the test. */
const COMMANDS: Record<Trigger, (context: CommandContext) => Command> = {
  claim: (context) => ({ trigger: 'claim', ...claimTerms(context) }),
  autoClaim: (context) => ({ trigger: 'autoClaim', ...claimTerms(context) }),
  fiatSent: (context) => ({ trigger: 'fiatSent', lpId: mostlyOwner(context) }),
  confirm: () => ({ trigger: 'confirm' }),
  settle: ({ random }) => {
    // Sometimes a transaction that other orders name as well.
    const txHash = random.chance(0.1) ? `aa0${random.integer(0, 5)}` : randomUUID().replaceAll('-', '');
    return { trigger: 'settle', txHash, txHashGiven: `0x${txHash.toUpperCase()}` };
  },
  verified: (context) => ({ trigger: 'verified', version: versionFor(context), note: null }),
  invalid: (context) => ({
    trigger: 'invalid',
    version: versionFor(context),
    reason: reasonOf('other_address'),
  }),
  deadline: (context) => ({
    trigger: 'deadline',
    version: versionFor(context),
    ...(context.random.chance(0.05) ? { found: context.random.pick(FINDINGS) } : {}),
  }),
  cancel: ({ random }) => ({ trigger: 'cancel', by: random.pick(['agent', 'admin']) }),
  release: (context) => ({
    trigger: 'release',
    lpId: mostlyOwner(context),
    freeSince: new Date(Date.now() - context.random.pick([0, 60_000])).toISOString(),
  }),
  dispute: (context) =>
    context.random.chance(0.5)
      ? { trigger: 'dispute', by: 'agent' }
      : { trigger: 'dispute', by: 'lp', lpId: mostlyOwner(context) },
  resolve: ({ random, order, state }) => {
    // Zero, or any part of the order's value, which may exceed its locked collateral.
    const part = roundDown(decimal(order.amountUsd).mul(random.next()), SCALE.cents);
    const slashUsd = random.chance(0.4) ? '0.00' : toPlain(part, SCALE.cents);
    return { trigger: 'resolve', outcome: random.pick(OUTCOMES), slashUsd, txHash: state.txHash };
  },
  retryVerification: ({ random, state }) => {
    const named = random.pick(['', `aa0${random.integer(0, 5)}`]);
    const txHash = state.txHash && random.chance(0.7) ? state.txHash : named;
    return { trigger: 'retryVerification', txHash, txHashGiven: txHash };
  },
  extend: ({ random, state }) => ({
    trigger: 'extend',
    until: new Date(
      Date.parse(state.timeoutAt ?? new Date().toISOString()) + random.integer(-9, 99) * 1_000,
    ).toISOString(),
  }),
  expireNow: (context) => ({ trigger: 'expireNow', version: versionFor(context) }),
  freeze: () => ({ trigger: 'freeze' }),
  unfreeze: () => ({ trigger: 'unfreeze' }),
  revoke: () => ({ trigger: 'revoke' }),
};

interface CommandContext {
  random: Random;
  state: OrderState;
  order: KnownOrder;
  lps: number[];
}

const claimTerms = ({ random, lps }: CommandContext) => ({
  lpId: random.pick(lps),
  // Sometimes the claim is void.
  validUntil: random.chance(0.05) ? '-infinity' : 'infinity',
});
const mostlyOwner = ({ random, state, lps }: CommandContext) =>
  state.lpId !== null && random.chance(0.9) ? state.lpId : random.pick(lps);
/** Usually the order's version, sometimes an earlier or a later one. */
const versionFor = ({ random, state }: CommandContext) =>
  random.chance(0.9) ? state.version : state.version + random.pick([-1, 1]);

/** KES. Most amounts are small, so that LPs can claim many orders. Some need all collateral of an LP. */
const amountFiat = (random: Random): string =>
  random.integer(100, random.chance(0.05) ? 2_000_000 : 15_000).toString();

/** The weight of a transition among those of its status. Default: 1. Most orders complete. */
const WEIGHTS: Partial<Record<Trigger, number>> = {
  ...{ deadline: 0.15, cancel: 0.05, release: 0.15, dispute: 0.1 },
  ...{ retryVerification: 0.3, extend: 0.2, expireNow: 0.2, freeze: 0.2, unfreeze: 0.05, revoke: 0.05 },
};
/**
 * Other weights for some orders: their LP always misses the deadline or releases, their agent's key is revoked and the grace
 * ends, or their payer never pays enough.
 */
const BIASES: Record<string, number>[] = [
  {},
  { 'claimed revoke': 4, 'claimed deadline': 3, 'claimed release': 3 },
  { 'claimed deadline': 20 },
  { 'claimed release': 20 },
  { 'crypto_verify_pending invalid': 20 },
];
/** Some releases cost a strike. */
const SETTINGS: StepSettings = { ...NO_LIMITS, freeReleases: 3 };
/** Stages without any time, so that most deadlines have passed by the next command. */
const NO_TIME = [0, 0, 0, 0, 0];

const TRIGGERS = [...new Set(TRANSITIONS.map(({ trigger }) => trigger))];

/** A path of a transition: `claimed > reofferOrder by deadline`. */
const pathOf = (from: string, step: StepName, trigger: Trigger) => `${from} > ${step} by ${trigger}`;

/** Every path by which an order can move. */
export const PATHS = TRANSITIONS.flatMap(({ from, trigger, step, escalation }) => [
  pathOf(from, step, trigger),
  ...(escalation ? [pathOf(from, escalation.step, trigger)] : []),
]);

/** Orders that many concurrent actors create and move at random. */
export function createRandomOrders({ books, lps, note, retryOnDisconnect }: RandomBooks) {
  const { db } = books;
  const live: KnownOrder[] = [];
  const all: KnownOrder[] = [];
  /** Earlier steps, which may run again. */
  const past: { step: StepName; input: StepInput }[] = [];
  const taken = new Set<string>();

  return { taken, all, live, create, move, repeatPast };

  async function create(random: Random): Promise<void> {
    // Some orders have time, so their deadlines must not expire.
    const stages = random.chance(0.9) ? { stage_ms: NO_TIME } : {};
    const draft = async () => ({
      ...(await retryOnDisconnect(() =>
        books.draft(random.pick(lps), amountFiat(random), random.pick([0, 50, 1_500])),
      )),
      ...stages,
    });
    const drafts = [await draft()];
    const key = random.chance(0.3) ? `key-${random.integer(1, 1_000_000)}` : null;
    // One payment, sent twice at the same time. Only one of the requests may create an order.
    if (key && random.chance(0.5)) drafts.push(await draft());
    const made = await Promise.all(drafts.map((one) => createOnce(one, key)));
    const created = drafts.filter((_, i) => made[i]);
    if (key && created.length > 1) throw new Error(`The key ${key} made ${created.length} orders`);
    if (created.length < drafts.length) note('payment replayed');
    for (const { id, amount_usd } of created) {
      const order = { id, amountUsd: amount_usd, bias: random.pick(BIASES), seen: [] };
      all.push(order);
      live.push(order);
    }
  }

  function createOnce(order: NewOrder, key: string | null): Promise<boolean> {
    const replay = key ? { key, requestHash: Buffer.from(key), response: {} as never } : null;
    let attempts = 0;
    return retryOnDisconnect(async () => {
      attempts += 1;
      if (await books.create(order, replay)) return true;
      // If this call's connection broke after the commit, the order and its key exist.
      return attempts > 1 && (await books.exists(order.id));
    }).catch((error) => {
      if (attempts > 1 && error.constraint === 'orders_pkey') return true;
      throw error;
    });
  }

  async function move(random: Random): Promise<void> {
    const order = random.pick(live.length > 0 && random.chance(0.95) ? live : all);
    const now = await retryOnDisconnect(() => books.state(order.id));
    order.seen.push(now);
    const open = TRANSITIONS.filter(({ from }) => from === now.status);
    if (open.length === 0 && live.includes(order)) live.splice(live.indexOf(order), 1);

    const state = random.chance(0.85) ? now : random.pick(order.seen);
    const weight = (trigger: Trigger) => {
      // A frozen order continues only when an admin unfreezes it.
      if (state.frozenMs !== null && trigger === 'unfreeze') return 5;
      return order.bias[`${state.status} ${trigger}`] ?? WEIGHTS[trigger] ?? 1;
    };
    const triggers = TRANSITIONS.filter(({ from }) => from === state.status).map(({ trigger }) => trigger);
    const trigger =
      triggers.length > 0 && random.chance(0.9) ? random.weighted(triggers, weight) : random.pick(TRIGGERS);
    const make = COMMANDS[trigger];
    if (!make)
      throw new Error(`The random test has no command for the trigger ${trigger}: add one to COMMANDS`);
    const command = make({ random, state, order, lps });
    // Most verdicts follow a check of the chain. Some are forged.
    if ((trigger === 'verified' || trigger === 'invalid') && random.chance(0.9)) {
      const recorded = await retryOnDisconnect(() => books.check(order.id, trigger));
      note(`check ${recorded}`);
    }
    if (trigger === 'settle' && random.chance(0.8))
      await retryOnDisconnect(() => books.check(order.id, 'not_found'));
    if (now.status === 'claimed' && random.chance(0.1))
      await retryOnDisconnect(() => uploadReceipt(order.id));
    // Sometimes the key is not revoked, and the step must refuse.
    if (trigger === 'revoke' && random.chance(0.8))
      await retryOnDisconnect(() => books.revokeAgentOf(order.id));
    await ask(random, order.id, state, command);
  }

  /** Handles a command like the workflow: decides, and runs a step or records an answer. */
  async function ask(random: Random, orderId: number, state: OrderState, command: Command): Promise<void> {
    const reused = past.length > 0 && random.chance(0.03);
    const requestId = reused ? random.pick(past).input.requestId : randomUUID();
    const decision = decide(state, command);
    if (decision.kind !== 'apply') {
      const result = answerTo(state, command);
      await retryOnDisconnect(() => recordAnswers(db, { orderId, state, answers: [{ requestId, result }] }));
      return note(result);
    }
    const { step } = decision;
    const input: StepInput = { orderId, state, requestId, command, actor: 'service' };
    const results = await repeated(random, () => performStep(db, step, input, SETTINGS));
    for (const { result } of results) note(result);
    if (!reused && results.some(({ result }) => result === 'applied')) {
      taken.add(pathOf(state.status, step, command.trigger));
    }
    past.push({ step, input });
    const found = results.map(({ result }) => result).find(isFinding);
    if (found && (command.trigger === 'release' || command.trigger === 'deadline') && !command.found)
      await ask(random, orderId, state, { ...command, found });
  }

  async function uploadReceipt(orderId: number): Promise<void> {
    await db.pool.query(`update orders set receipt_url = '/r' where id = $1 and status = 'claimed'`, [
      orderId,
    ]);
  }

  /** Runs the step once. Sometimes it runs the step again or several times concurrently, as after a crash. */
  async function repeated<T>(random: Random, work: () => Promise<T>): Promise<T[]> {
    const [parallel, after] = random.weighted<[number, number]>(
      [
        [1, 0],
        [1, 1],
        [3, 0],
      ],
      ([n, m]) => (n + m > 1 ? 1 : 6),
    );
    const first = await Promise.all(Array.from({ length: parallel }, () => retryOnDisconnect(work)));
    return after > 0 ? [...first, await retryOnDisconnect(work)] : first;
  }

  async function repeatPast(random: Random): Promise<void> {
    if (past.length === 0) return;
    const { step, input } = random.pick(past);
    const { result } = await retryOnDisconnect(() => performStep(db, step, input, SETTINGS));
    note(`late ${result}`);
  }
}
