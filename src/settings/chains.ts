import { z } from 'zod';
import type { Chain } from '../domain/assets.ts';
import {
  depositAddress,
  isOfXrplNetwork,
  issuedCurrencies,
  reserveAddresses,
  tokenContracts,
} from './chain-values.ts';
import { setting } from './setting.ts';
import { httpUrlWithoutSlash, webSocketUrlWithoutSlash, wholeNumber } from './values.ts';

/** The start of the names of a chain's settings. */
export const chainPrefix = (chain: Chain) => `CHAIN_${chain.toUpperCase()}_`;

const ofChain = <Schema extends z.ZodType>(chain: Chain, end: string, schema: Schema): Schema =>
  setting(chainPrefix(chain) + end, schema);

/** A chain is real if its RPC URL is set. */
const ifReal = <Settings extends { rpcUrl?: string | undefined }>({ rpcUrl, ...others }: Settings) =>
  rpcUrl === undefined ? undefined : { rpcUrl, ...others };

const evm = (chain: 'eth' | 'polygon' | 'base', chainId: number) =>
  z
    .object({
      rpcUrl: ofChain(chain, 'RPC_URL', httpUrlWithoutSlash.optional()),
      chainId: ofChain(chain, 'ID', wholeNumber(1, 2 ** 48).default(chainId)),
      confirmations: ofChain(chain, 'CONFIRMATIONS', wholeNumber(1, 100_000).nullable().default(null)),
      tokens: ofChain(chain, 'TOKENS', tokenContracts(chain)),
      depositAddress: ofChain(chain, 'DEPOSIT_ADDRESS', depositAddress(chain)),
      reserveAddresses: ofChain(chain, 'RESERVE_ADDRESSES', reserveAddresses(chain)),
    })
    .transform(ifReal);

/** The real chains; the others are simulated, or not offered. */
export const chains = z.object({
  eth: evm('eth', 1),
  polygon: evm('polygon', 137),
  base: evm('base', 8_453),
  trx: z
    .object({
      rpcUrl: ofChain('trx', 'RPC_URL', httpUrlWithoutSlash.optional()),
      apiKey: ofChain('trx', 'API_KEY', z.string().nullable().default(null)),
      tokens: ofChain('trx', 'TOKENS', tokenContracts('trx')),
      depositAddress: ofChain('trx', 'DEPOSIT_ADDRESS', depositAddress('trx')),
      reserveAddresses: ofChain('trx', 'RESERVE_ADDRESSES', reserveAddresses('trx')),
    })
    .transform(ifReal),
  xrpl: z
    .object({
      rpcUrl: ofChain('xrpl', 'RPC_URL', webSocketUrlWithoutSlash.optional()),
      networkId: ofChain('xrpl', 'ID', wholeNumber(0, 2 ** 32 - 1).default(0)),
      tokens: ofChain('xrpl', 'TOKENS', issuedCurrencies),
      depositAddress: ofChain('xrpl', 'DEPOSIT_ADDRESS', depositAddress('xrpl')),
      reserveAddresses: ofChain('xrpl', 'RESERVE_ADDRESSES', reserveAddresses('xrpl')),
    })
    .refine(({ depositAddress, networkId }) => isOfXrplNetwork(depositAddress, networkId), {
      error: 'must not be an X-address of another network',
      path: ['depositAddress'],
    })
    .transform(ifReal),
} satisfies Record<Chain, z.ZodType>);

/** A message for each chain that has settings but no RPC URL, because Corridor would silently ignore them. */
export function chainsWithoutNode(given: string[]): string[] {
  return (Object.keys(chains.shape) as Chain[]).flatMap((chain) => {
    const names = given.filter((name) => name.startsWith(chainPrefix(chain)));
    const needed = `${chainPrefix(chain)}RPC_URL`;
    return names.length === 0 || names.includes(needed) ? [] : [`${names.join(', ')} requires ${needed}`];
  });
}
