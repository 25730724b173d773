import { Histogram, type Registry } from '@prometheus-io/client';
import type { Chain } from '../../domain/assets.ts';
import type { Verdict } from '../../domain/payment-verdict.ts';
import type { Chains, ChainVerifier } from '../ports.ts';

export interface ChainMetrics {
  /** Reports a chain before its first check. */
  begin: (chain: Chain) => void;
  /** `unavailable`: the chain did not answer. */
  checked: (chain: Chain, verdict: Verdict['kind'] | 'unavailable', seconds: number) => void;
}

/** A check times out after 8 s. */
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 8];

/** Checks of chains, for payments, and for deposits and payouts of collateral. */
export function createChainMetrics(registry: Registry): ChainMetrics {
  const checks = new Histogram({
    name: 'corridor_chain_look_duration_seconds',
    help: 'Duration of chain checks by verdict; unavailable: the chain did not answer',
    labelNames: ['chain', 'verdict'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    begin: (chain) => checks.zero({ chain, verdict: 'unavailable' }),
    checked: (chain, verdict, seconds) => checks.observe({ chain, verdict }, seconds),
  };
}

/** The same chains, with their checks counted. */
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
          metrics.checked(chain, seen, (performance.now() - began) / 1_000);
        }
      },
    };
  }
}
