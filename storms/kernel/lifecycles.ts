import { setTimeout as delay } from 'node:timers/promises';
import type { OrderActions } from './actions.ts';
import { randomHash } from './actors.ts';

/** What the actors try to do with an order. A deadline or a refusal may end the order differently. */
export interface Lifecycle {
  weight: number;
  run: (actions: OrderActions) => Promise<unknown>;
}

const ok = (status: number): boolean => status === 200;

async function toFiatSent({ claim, fiatSent, lps: [lp] }: OrderActions): Promise<boolean> {
  return ok(await claim(lp)) && ok(await fiatSent(lp));
}
const toConfirmed = async (actions: OrderActions): Promise<boolean> =>
  (await toFiatSent(actions)) && ok(await actions.confirm());
const resolve = (actions: OrderActions) =>
  actions.commandAsAdmin('resolve', {
    outcome: actions.random.pick(['completed', 'cancelled']),
    slash_usd: actions.random.pick([0, 0, 0.5]),
  });

export const LIFECYCLES: Record<string, Lifecycle> = {
  completed: {
    weight: 6,
    run: async (actions) => (await toConfirmed(actions)) && actions.settle(actions.crypto),
  },
  'claimed by one of two': {
    weight: 2,
    run: async (actions) => {
      const { lps, claim, fiatSent, confirm } = actions;
      const claims = await Promise.all(lps.map(claim));
      const winner = lps[claims.findIndex(ok)];
      if (winner && ok(await fiatSent(winner)) && ok(await confirm())) await actions.settle(actions.crypto);
    },
  },
  'paid too little, then in full': {
    weight: 1,
    run: async (actions) => {
      if (!(await toConfirmed(actions)) || !ok(await actions.settle(0.01))) return;
      // Refused while the first transaction is being verified.
      for (let tries = 0; tries < 10 && !ok(await actions.settle(actions.crypto)); tries++) await delay(300);
    },
  },
  'paid by a transaction that is final later': {
    weight: 1,
    run: async (actions) => (await toConfirmed(actions)) && actions.settle(actions.crypto, 2_000),
  },
  'paid by a transaction that does not exist': {
    weight: 1,
    run: async (actions) => (await toConfirmed(actions)) && actions.settleWith(randomHash()),
  },
  "paid by another order's transaction": {
    weight: 1,
    run: async (actions) => {
      if (!(await toConfirmed(actions))) return;
      const { paidWith } = actions;
      const hash = paidWith.hash ?? randomHash();
      const isNew = paidWith.hash === undefined;
      paidWith.hash = undefined;
      if (ok(await actions.settleWith(hash)) && isNew) paidWith.hash = hash;
      // The other order's transaction is rejected, unless it has not paid that order yet.
      for (let tries = 0; !isNew && tries < 10 && !ok(await actions.settle(actions.crypto)); tries++)
        await delay(300);
    },
  },
  'one transaction, named by two orders later': {
    weight: 1,
    run: async (actions) => {
      if (!(await toConfirmed(actions))) return;
      const hash = randomHash();
      actions.paidWith.hash = hash;
      await actions.settleWith(hash);
    },
  },
  cancelled: { weight: 1, run: ({ cancel }) => cancel() },
  'cancelled while it is claimed': {
    weight: 1,
    run: ({ cancel, claim, lps: [lp] }) => Promise.all([cancel(), claim(lp)]),
  },
  'released, and claimed by another': {
    weight: 1,
    run: async ({ claim, release, fiatSent, confirm, settle, crypto, lps: [one, other] }) => {
      if (!ok(await claim(one)) || !ok(await release(one)) || !ok(await claim(other))) return;
      if (ok(await fiatSent(other)) && ok(await confirm())) await settle(crypto);
    },
  },
  'released while its fiat is sent': {
    weight: 1,
    run: async ({ claim, release, fiatSent, lps: [lp] }) =>
      ok(await claim(lp)) && Promise.all([release(lp), fiatSent(lp)]),
  },
  'disputed and resolved': {
    weight: 2,
    run: async (actions) => {
      if (!(await toFiatSent(actions))) return;
      const by = actions.random.chance(0.5) ? 'agent' : actions.lps[0];
      if (ok(await actions.dispute(by))) await resolve(actions);
    },
  },
  'frozen and unfrozen': {
    weight: 1,
    run: async (actions) => {
      const {
        claim,
        commandAsAdmin,
        lps: [lp],
      } = actions;
      if (!ok(await claim(lp)) || !ok(await commandAsAdmin('freeze'))) return;
      for (let tries = 0; tries < 10 && !ok(await commandAsAdmin('unfreeze')); tries++) await delay(500);
      if (ok(await actions.fiatSent(lp)) && ok(await actions.confirm())) await actions.settle(actions.crypto);
    },
  },
  'verified again': {
    weight: 1,
    run: async (actions) => {
      if (!(await toConfirmed(actions)) || !ok(await actions.settle(actions.crypto, 1_500))) return;
      await actions.commandAsAdmin('retry-verification');
    },
  },
  'webhook redelivered': {
    weight: 1,
    run: async (actions) => {
      if (await toFiatSent(actions)) await actions.redeliver();
    },
  },
  'abandoned by its LP': { weight: 1, run: ({ claim, lps: [lp] }) => claim(lp) },
  'abandoned by its agent': { weight: 1, run: toFiatSent },
  forgotten: { weight: 1, run: async () => undefined },
};

/** The lifecycle of an order that an LP with auto-claim takes. */
export async function automaticLifecycle(actions: OrderActions): Promise<void> {
  const {
    fiatSent,
    confirm,
    settle,
    crypto,
    lps: [lp],
  } = actions;
  for (let tries = 0; tries < 20; tries++) {
    const status = await fiatSent(lp);
    if (ok(status)) break;
    if (tries === 19) return;
    await delay(300);
  }
  if (ok(await confirm())) await settle(crypto);
}
