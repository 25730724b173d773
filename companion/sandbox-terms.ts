import type { DemoLp } from '../dev/actors.ts';
import { type Answer, createCaller, expectStatus } from '../dev/http-client.ts';

/** The terms of the simulated LPs: every method of their currencies, with a float that never runs out. */
export interface SandboxTerms {
  /** Renews the rates that end soon, and tops up the floats. Call it often: it checks the terms every two seconds. */
  keep: () => Promise<void>;
}

/** Units of a currency for one USD. */
export type Rate = readonly [currency: string, perUsd: number];

/** A corridor that the LPs serve. `method`: undefined in a currency without a corridor. */
interface Served {
  currency: string;
  method: string | undefined;
  perUsd: number;
  /** The float of each LP after a top-up. */
  float: number;
}

const CHECK_EVERY_MS = 2_000;
/** A float, in orders of the method's maximum. */
const FLOAT_IN_ORDERS = 100;
/** A float in a currency without a corridor, in USD. */
const FLOAT_USD = 1_000_000;
/** Corridor accepts no larger amount of fiat. */
const MAX_FLOAT = 1_000_000_000_000;

/** Publishes the terms of each LP in every method of these currencies. */
export async function publishSandboxTerms(
  baseUrl: string,
  lps: readonly DemoLp[],
  rates: readonly Rate[],
  print: (line: string) => void,
): Promise<SandboxTerms> {
  const { corridors } = await expectStatus(200, createCaller(baseUrl)('GET', '/api/v1/corridors'));
  const served = rates.flatMap((rate) => corridorsOf(corridors, rate));
  /** How long a rate is valid, in milliseconds. The operator's settings determine it. */
  let validity = Number.POSITIVE_INFINITY;
  for (const lp of lps)
    for (const { currency, method, perUsd, float } of served) {
      const body = { currency, method, rate_usd: perUsd, float, float_low: float / 2 };
      const { terms } = await expectStatus(200, lp.call('POST', `${lp.own}/terms`, body));
      validity = Math.min(validity, Date.parse(terms[0].valid_until) - Date.now());
    }
  const names = served.map(({ currency, method }) => [currency, method].filter(Boolean).join(' by '));
  print(`they serve ${names.join(', ')}`);

  let checkedAt = Date.now();
  /** Renewals that Corridor refuses: each is reported once, until it succeeds. */
  const refused = new Set<string>();
  return {
    keep: async () => {
      if (Date.now() - checkedAt < CHECK_EVERY_MS) return;
      for (const lp of lps) await keepTerms(lp);
      checkedAt = Date.now();
    },
  };

  /** A price that has moved away from the rate refuses the renewal. The LPs go on with the rates that still hold. */
  async function renew(lp: DemoLp, key: Pick<Served, 'currency' | 'method'>, perUsd: number): Promise<void> {
    const what = `${lp.name}: ${[key.currency, key.method].filter(Boolean).join(' by ')}`;
    const { status, body } = await lp.call('POST', `${lp.own}/terms`, { ...key, rate_usd: perUsd });
    if (status === 200) refused.delete(what);
    else if (!refused.has(what)) {
      refused.add(what);
      print(`${what} is not renewed: ${status} ${JSON.stringify(body?.error ?? body)}`);
    }
  }

  async function keepTerms(lp: DemoLp): Promise<void> {
    const { terms } = await expectStatus(200, lp.call('GET', `${lp.own}/terms`));
    for (const { currency, method, perUsd, float } of served) {
      const known = terms.find(
        (one: Answer['body']) => one.currency === currency && (method ?? one.method) === one.method,
      );
      const key = { currency, method };
      // Half of the validity leaves time for another attempt if Corridor restarts meanwhile.
      if (Date.parse(known.valid_until) - Date.now() < validity / 2) await renew(lp, key, perUsd);
      // If a claim changes the float meanwhile, Corridor refuses the top-up, and the next check makes it.
      if (known.float < known.float_low)
        await lp.call('POST', `${lp.own}/terms`, { ...key, float, expected_float: known.float });
    }
  }
}

function corridorsOf(corridors: Answer['body'][], [currency, perUsd]: Rate): Served[] {
  const corridor = corridors.find((one) => one.currency === currency);
  if (!corridor)
    return [
      { currency, method: undefined, perUsd, float: Math.min(MAX_FLOAT, Math.ceil(FLOAT_USD * perUsd)) },
    ];
  return corridor.methods.map(({ method, max }: { method: string; max: number }) => ({
    ...{ currency, method, perUsd, float: max * FLOAT_IN_ORDERS },
  }));
}
