import type { z } from 'zod';
import type { DemoAgent, DemoLp } from '../dev/actors.ts';
import type { Context } from '../dev/context.ts';
import { expectStatus } from '../dev/http-client.ts';
import type { resolveResponse } from '../src/api/resources/admin-orders/schemas.ts';
import type { TransitionView } from '../src/api/resources/agent-orders/schemas.ts';
import type { dashboardResponse } from '../src/api/resources/lp-dashboard/schemas.ts';
import { minute, table } from '../src/cli/output.ts';

type OwnTerms = z.output<typeof dashboardResponse>['rates'][number];
type Postings = z.output<typeof resolveResponse>['postings'];

/** Prints every transition of an order with its actor, cause and reason. */
export async function showTimeline({ print }: Context, agent: DemoAgent, orderId: number): Promise<void> {
  const { transitions } = await expectStatus(200, agent.call('GET', `/api/v1/orders/${orderId}/timeline`));
  print(
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

/** Prints the strikes and the collateral of each LP. */
export async function showStandings({ print }: Context, lps: DemoLp[]): Promise<void> {
  const dashboards = await Promise.all(lps.map(({ call, own }) => call('GET', `${own}/dashboard`)));
  const rows = dashboards.map(({ body }) => body.lp);
  print(
    table(rows, {
      LP: ({ display_name }) => display_name,
      strikes: ({ strikes }) => strikes,
      'available USD': ({ collateral }) => collateral.available,
      'locked USD': ({ collateral }) => collateral.locked,
      'no new orders until (UTC)': ({ cooling_down_until }) => cooling_down_until?.slice(11, 19) ?? null,
    }),
  );
}

/** Prints an LP's terms: where it can send fiat, at which rate, and how much. */
export async function showTerms({ print }: Context, { call, own }: DemoLp): Promise<void> {
  const { terms } = await expectStatus(200, call('GET', `${own}/terms`));
  print(
    table<OwnTerms>(terms, {
      corridor: ({ currency, method }) => `${currency} by ${method}`,
      'for 1 USD': ({ rate_usd }) => rate_usd,
      'valid until (UTC)': ({ valid_until }) => minute(valid_until),
      'float for new orders': ({ float }) => float,
      reserved: ({ float_reserved }) => float_reserved,
    }),
  );
}
