import type { Database } from '../db/orm.ts';
import { CHAINS, type Chain } from '../domain/assets.ts';
import type { EvmSettings } from './chain-evm.ts';
import { createSandboxVerifier } from './chain-sandbox.ts';
import type { TronSettings } from './chain-tron.ts';
import type { XrplSettings } from './chain-xrpl.ts';
import type { Chains, ChainVerifier } from './ports.ts';

/** The settings of the configured chains. */
interface ChainSettings extends Record<Exclude<Chain, 'trx' | 'xrpl'>, EvmSettings | undefined> {
  trx: TronSettings | undefined;
  xrpl: XrplSettings | undefined;
}

/**
 * The verifier of each chain: real if the chain is configured, otherwise simulated in a sandbox, otherwise none. A
 * chain's libraries are loaded only if it is configured, because together they take longer to load than the rest of the
 * API.
 */
export async function chainVerifiers(
  { chains, sandbox }: { chains: ChainSettings; sandbox: boolean },
  db: Database,
): Promise<Chains> {
  const verifiers = new Map<Chain, ChainVerifier>();
  for (const chain of CHAINS) {
    const verifier = (await real(chain, chains)) ?? (sandbox ? createSandboxVerifier(db, chain) : undefined);
    if (verifier) verifiers.set(chain, verifier);
  }
  return verifiers;
}

async function real(chain: Chain, chains: ChainSettings): Promise<ChainVerifier | undefined> {
  if (chain === 'trx') {
    return chains.trx && (await import('./chain-tron.ts')).createTronVerifier(chains.trx);
  }
  if (chain === 'xrpl') {
    return chains.xrpl && (await import('./chain-xrpl.ts')).createXrplVerifier(chains.xrpl);
  }
  const settings = chains[chain];
  return settings && (await import('./chain-evm.ts')).createEvmVerifier(chain, settings);
}
