import { setTimeout as delay } from 'node:timers/promises';
import { aHash } from './cast.ts';
import type { Deeds } from './deeds.ts';

/** A way to its end that somebody means an order to take. A refusal on the way, as by a deadline, is another. */
export interface Life {
  weight: number;
  live: (deeds: Deeds) => Promise<unknown>;
}

const ok = (status: number): boolean => status === 200;

async function toFiatSent({ claim, fiatSent, lps: [lp] }: Deeds): Promise<boolean> {
  return ok(await claim(lp)) && ok(await fiatSent(lp));
}
const toConfirmed = async (deeds: Deeds): Promise<boolean> =>
  (await toFiatSent(deeds)) && ok(await deeds.confirm());
const resolve = (deeds: Deeds) =>
  deeds.adminDoes('resolve', {
    outcome: deeds.random.pick(['completed', 'cancelled']),
    slash_usd: deeds.random.pick([0, 0, 0.5]),
  });

export const LIVES: Record<string, Life> = {
  completed: {
    weight: 6,
    live: async (deeds) => (await toConfirmed(deeds)) && deeds.settle(deeds.crypto),
  },
  'claimed by one of two': {
    weight: 2,
    live: async (deeds) => {
      const { lps, claim, fiatSent, confirm } = deeds;
      const claims = await Promise.all(lps.map(claim));
      const winner = lps[claims.findIndex(ok)];
      if (winner && ok(await fiatSent(winner)) && ok(await confirm())) await deeds.settle(deeds.crypto);
    },
  },
  'paid too little, then in full': {
    weight: 1,
    live: async (deeds) => {
      if (!(await toConfirmed(deeds)) || !ok(await deeds.settle(0.01))) return;
      // Refused while the first is being looked at.
      for (let tries = 0; tries < 10 && !ok(await deeds.settle(deeds.crypto)); tries++) await delay(300);
    },
  },
  'paid by a transaction that is final later': {
    weight: 1,
    live: async (deeds) => (await toConfirmed(deeds)) && deeds.settle(deeds.crypto, 2_000),
  },
  'paid by a transaction that is not there': {
    weight: 1,
    live: async (deeds) => (await toConfirmed(deeds)) && deeds.settleWith(aHash()),
  },
  "paid by another order's transaction": {
    weight: 1,
    live: async (deeds) => {
      if (!(await toConfirmed(deeds))) return;
      const { paidWith } = deeds;
      const hash = paidWith.hash ?? aHash();
      paidWith.hash = undefined;
      if (ok(await deeds.settleWith(hash))) paidWith.hash = hash;
      else await deeds.settle(deeds.crypto);
    },
  },
  'one transaction, told to two orders later': {
    weight: 1,
    live: async (deeds) => {
      if (!(await toConfirmed(deeds))) return;
      const hash = aHash();
      deeds.paidWith.hash = hash;
      await deeds.settleWith(hash);
    },
  },
  cancelled: { weight: 1, live: ({ cancel }) => cancel() },
  'cancelled while it is claimed': {
    weight: 1,
    live: ({ cancel, claim, lps: [lp] }) => Promise.all([cancel(), claim(lp)]),
  },
  'released, and claimed by another': {
    weight: 1,
    live: async ({ claim, release, fiatSent, confirm, settle, crypto, lps: [one, other] }) => {
      if (!ok(await claim(one)) || !ok(await release(one)) || !ok(await claim(other))) return;
      if (ok(await fiatSent(other)) && ok(await confirm())) await settle(crypto);
    },
  },
  'released while its fiat is sent': {
    weight: 1,
    live: async ({ claim, release, fiatSent, lps: [lp] }) =>
      ok(await claim(lp)) && Promise.all([release(lp), fiatSent(lp)]),
  },
  'disputed and resolved': {
    weight: 2,
    live: async (deeds) => {
      if (!(await toFiatSent(deeds))) return;
      const by = deeds.random.chance(0.5) ? 'agent' : deeds.lps[0];
      if (ok(await deeds.dispute(by))) await resolve(deeds);
    },
  },
  'frozen and set going': {
    weight: 1,
    live: async (deeds) => {
      const {
        claim,
        adminDoes,
        lps: [lp],
      } = deeds;
      if (!ok(await claim(lp)) || !ok(await adminDoes('freeze'))) return;
      for (let tries = 0; tries < 10 && !ok(await adminDoes('unfreeze')); tries++) await delay(500);
      if (ok(await deeds.fiatSent(lp)) && ok(await deeds.confirm())) await deeds.settle(deeds.crypto);
    },
  },
  'looked for again': {
    weight: 1,
    live: async (deeds) => {
      if (!(await toConfirmed(deeds)) || !ok(await deeds.settle(deeds.crypto, 1_500))) return;
      await deeds.adminDoes('retry-verification');
    },
  },
  'told of again': {
    weight: 1,
    live: async (deeds) => {
      if (await toFiatSent(deeds)) await deeds.redeliver();
    },
  },
  'let down by its LP': { weight: 1, live: ({ claim, lps: [lp] }) => claim(lp) },
  'let down by its agent': { weight: 1, live: toFiatSent },
  forgotten: { weight: 1, live: async () => undefined },
};

/** What becomes of an order that an LP claims without being asked. */
export async function automaticLife(deeds: Deeds): Promise<void> {
  const {
    fiatSent,
    confirm,
    settle,
    crypto,
    lps: [lp],
  } = deeds;
  for (let tries = 0; tries < 20; tries++) {
    const status = await fiatSent(lp);
    if (ok(status)) break;
    if (tries === 19) return;
    await delay(300);
  }
  if (ok(await confirm())) await settle(crypto);
}
