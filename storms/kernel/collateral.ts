import type { Random } from '../../test/support/random.ts';
import { type Actors, randomHash } from './actors.ts';
import type { Caller } from './caller.ts';
import { ADMIN_KEY } from './service.ts';

/** An LP withdraws or deposits collateral. Each call is repeated until it gets a response. */
export async function moveCollateral(
  name: string,
  random: Random,
  { lps }: Actors,
  call: Caller,
): Promise<void> {
  const lp = random.pick(lps);
  const actor = `lp:${lp.id}`;
  const path = `/api/lp/${lp.key}/collateral`;
  if (random.chance(0.4)) {
    const body = { amount: random.integer(1, 50), asset: 'usdt', tx_hash: randomHash() };
    const made = await call(
      { trigger: 'deposit', actor, key: lp.key, path: `${path}/deposit`, body },
      random,
    );
    const id = made?.body?.deposit_id;
    if (!id) return;
    const confirm = { path: `${path}/${id}/confirm`, body: {}, detail: String(id) };
    await call({ trigger: 'confirmDeposit', actor, key: lp.key, ...confirm }, random);
    return;
  }
  const made = await call(
    {
      ...{ trigger: 'withdraw', actor, key: lp.key, detail: name, path: `${path}/withdraw` },
      body: { amount: random.integer(1, 50), address: lp.address },
      headers: { 'idempotency-key': name },
    },
    random,
  );
  const id = made?.body?.id;
  if (!id) return;
  const [verb, body] = random.chance(0.5)
    ? (['paid', { tx_hash: randomHash() }] as const)
    : (['reject', { reason: 'Ask again next week' }] as const);
  await call(
    {
      ...{ trigger: `withdrawal ${verb}`, actor: 'admin:root', key: ADMIN_KEY, detail: String(id) },
      ...{ path: `/api/admin/withdrawals/${id}/${verb}`, body },
    },
    random,
  );
}
