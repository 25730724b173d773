import { Histogram, type Registry } from '@prometheus-io/client';
import type { Chains, ChainVerifier } from '../adapters/ports.ts';
import type { Chain } from '../domain/assets.ts';
import type { Verdict } from '../domain/payment-verdict.ts';

export interface ChainMetrics {
  /** Tells of a chain before it was first asked. */
  begin: (chain: Chain) => void;
  /** `unavailable`: the chain could not be asked. */
  looked: (chain: Chain, verdict: Verdict['kind'] | 'unavailable', seconds: number) => void;
}

/** A look has 8 s. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 8];

/** Looks at the chains, for payments and for deposits of collateral. */
export function createChainMetrics(registry: Registry): ChainMetrics {
  const looks = new Histogram({
    name: 'corridor_chain_look_duration_seconds',
    help: 'Time that looks for a transaction took, by what was seen; unavailable: the chain could not be asked',
    labelNames: ['chain', 'verdict'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    begin: (chain) => looks.zero({ chain, verdict: 'unavailable' }),
    looked: (chain, verdict, seconds) => looks.observe({ chain, verdict }, seconds),
  };
}

/** The same chains, whose looks are counted. */
export function meteredChains(chains: Chains, metrics: ChainMetrics): Chains {
  for (const chain of chains.keys()) metrics.begin(chain);
  return new Map([...chains].map(([chain, verifier]) => [chain, metered(chain, verifier)]));

  function metered(chain: Chain, verifier: ChainVerifier): ChainVerifier {
    return {
      ...verifier,
      verify: async (payment) => {
        const began = performance.now();
        let seen: Verdict['kind'] | 'unavailable' = 'unavailable';
        try {
          const verdict = await verifier.verify(payment);
          seen = verdict.kind;
          return verdict;
        } finally {
          metrics.looked(chain, seen, (performance.now() - began) / 1_000);
        }
      },
    };
  }
}
