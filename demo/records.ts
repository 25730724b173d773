import type { z } from 'zod';
import { table } from '../src/admin-cli/output.ts';
import type { TransitionView } from '../src/contract/agent-orders.ts';
import type { resolveResponse } from '../src/contract/order-verbs.ts';
import { expectStatus } from './http.ts';
import type { DemoAgent, DemoLp } from './parties.ts';
import type { Scene } from './stage.ts';

/** What the service has written down, as tables for people. */

type Postings = z.output<typeof resolveResponse>['postings'];

/** Every transition of an order: who, why, when. */
export async function showTimeline({ show }: Scene, agent: DemoAgent, orderId: number): Promise<void> {
  const { transitions } = await expectStatus(200, agent.call('GET', `/api/v1/orders/${orderId}/timeline`));
  show(
    table<TransitionView>(transitions, {
      'at (UTC)': ({ at }) => at.slice(11, 23),
      status: ({ status }) => status,
      by: ({ actor, lp_id }) => (lp_id === null ? actor : `LP ${lp_id}`),
      cause: ({ cause }) => cause,
      why: ({ reason }) => reason,
    }),
  );
}

export const postingTable = (postings: Postings): string =>
  table(postings, {
    for: ({ purpose }) => purpose,
    USD: ({ amount_usd }) => amount_usd,
    from: ({ debit }) => debit,
    to: ({ credit }) => credit,
  });

/** An LP's collateral in USD. */
export interface Collateral {
  available: number;
  locked: number;
  total: number;
}

export const collateralOf = async ({ call, own }: DemoLp): Promise<Collateral> =>
  (await expectStatus(200, call('GET', `${own}/balance`))).balance;

/** One LP's collateral at several moments. */
export const collateralTable = (moments: Record<string, Collateral>): string =>
  table(Object.entries(moments), {
    USD: ([moment]) => moment,
    available: ([, { available }]) => available,
    locked: ([, { locked }]) => locked,
    total: ([, { total }]) => total,
  });

/** How LPs stand: what their reliability has cost them. */
export async function showStandings({ show }: Scene, lps: DemoLp[]): Promise<void> {
  const dashboards = await Promise.all(lps.map(({ call, own }) => call('GET', `${own}/dashboard`)));
  const rows = dashboards.map(({ body }) => body.lp);
  show(
    table(rows, {
      LP: ({ display_name }) => display_name,
      strikes: ({ strikes }) => strikes,
      'available USD': ({ collateral }) => collateral.available,
      'locked USD': ({ collateral }) => collateral.locked,
      'no new orders until (UTC)': ({ cooling_down_until }) => cooling_down_until?.slice(11, 19) ?? null,
    }),
  );
}
