import { isValidClassicAddress } from 'xrpl';
import { z } from 'zod';
import { type EvmSettings, isEvmAddress } from './adapters/chain-evm.ts';
import type { TronSettings } from './adapters/chain-tron.ts';
import type { XrplSettings } from './adapters/chain-xrpl.ts';
import { tronAddressBytes } from './adapters/tron-address.ts';
import { CHAINS, type Chain, NATIVE_SYMBOLS } from './domain/assets.ts';

/** The real chains that are set up; what is not here is simulated, or not offered. */
export interface ChainSettings {
  eth?: EvmSettings;
  polygon?: EvmSettings;
  base?: EvmSettings;
  trx?: TronSettings;
  xrpl?: XrplSettings;
}

const EVM_CHAIN_IDS = { eth: 1, polygon: 137, base: 8453 } as const;

const isTronAddress = (text: string) => tronAddressBytes(text) !== undefined;

const IS_ADDRESS: Record<Chain, (text: string) => boolean> = {
  eth: isEvmAddress,
  polygon: isEvmAddress,
  base: isEvmAddress,
  trx: isTronAddress,
  xrpl: isValidClassicAddress,
};

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

const common = (chain: Chain) => ({
  DEPOSIT_ADDRESS: z
    .string()
    .refine((text) => IS_ADDRESS[chain](text), { error: `must be an address of ${chain}` })
    .nullable()
    .default(null),
  TOKENS: z
    .string()
    .default('')
    .transform((text, ctx) => {
      const tokens = parseTokens(chain, text);
      if (tokens) return tokens;
      const form = chain === 'xrpl' ? 'symbol:issuer:currency' : 'symbol:contract:decimals';
      ctx.addIssue(`must be ${form}, with commas between tokens, and addresses of ${chain}`);
      return z.NEVER;
    }),
});

const http = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).transform(withoutSlash);
const webSocket = z.url({ protocol: /^wss?$/, error: 'must be a ws(s) address' }).transform(withoutSlash);

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** One chain's settings, by the ends of their names. */
const evm = (chain: keyof typeof EVM_CHAIN_IDS) =>
  z.object({
    RPC_URL: http,
    ID: wholeNumber(1, 2 ** 48).default(EVM_CHAIN_IDS[chain]),
    CONFIRMATIONS: wholeNumber(1, 100_000).nullable().default(null),
    ...common(chain),
  });
const SCHEMAS = {
  eth: evm('eth'),
  polygon: evm('polygon'),
  base: evm('base'),
  trx: z.object({ RPC_URL: http, API_KEY: z.string().nullable().default(null), ...common('trx') }),
  xrpl: z.object({ RPC_URL: webSocket, ID: wholeNumber(0, 2 ** 32 - 1).default(0), ...common('xrpl') }),
} satisfies Record<Chain, z.ZodObject>;

interface Token {
  symbol: string;
  /** The contract, or the issuer. */
  address: string;
  /** Decimals, or the currency code. */
  unit: string;
}

/** Undefined when it is not a list of tokens, each named once. */
function parseTokens(chain: Chain, text: string): Token[] | undefined {
  const entries = text.split(',').flatMap((entry) => entry.trim() || []);
  const tokens = entries.map((entry): Token => {
    const [symbol = '', address = '', unit = '', ...rest] = entry.split(':');
    return { symbol: symbol.toLowerCase(), address, unit: rest.length > 0 ? '' : unit };
  });
  const isUnit = chain === 'xrpl' ? (unit: string) => currencyCode(unit) !== undefined : isDecimals;
  const sound = tokens.every(
    ({ symbol, address, unit }) =>
      /^[a-z0-9]{2,16}$/.test(symbol) &&
      symbol !== NATIVE_SYMBOLS[chain] &&
      IS_ADDRESS[chain](address) &&
      isUnit(unit),
  );
  const distinct = new Set(tokens.map(({ symbol }) => symbol)).size === tokens.length;
  return sound && distinct ? tokens : undefined;
}

const isDecimals = (unit: string): boolean => /^\d{1,2}$/.test(unit) && Number(unit) <= 36;

/** The ledger's form of a currency: three characters, or 40 hexadecimal digits, which longer names are spelled out as. */
function currencyCode(unit: string): string | undefined {
  if (/^[0-9A-Fa-f]{40}$/.test(unit)) return unit.toUpperCase();
  if (/^[A-Za-z0-9]{3}$/.test(unit) && unit !== 'XRP') return unit;
  if (!/^[A-Za-z0-9]{4,20}$/.test(unit)) return undefined;
  return Buffer.from(unit, 'ascii').toString('hex').padEnd(40, '0').toUpperCase();
}

/**
 * Reads the chains' settings, `CHAIN_<chain>_<name>`. A chain is set up when its `RPC_URL` is there. Faults name the
 * variable and never say what is in it, as addresses of nodes have keys in them.
 */
export function readChains(given: Record<string, string | undefined>): {
  chains: ChainSettings;
  faults: string[];
} {
  const chains: ChainSettings = {};
  const faults: string[] = [];
  for (const chain of CHAINS) {
    const prefix = `CHAIN_${chain.toUpperCase()}_`;
    const own = Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
      ),
    );
    const names = Object.keys(own);
    if (names.length === 0) continue;
    const strange = names.filter((name) => !(name in SCHEMAS[chain].shape));
    if (strange.length > 0) faults.push(`there is no setting ${listed(prefix, strange)}`);
    if (own.RPC_URL === undefined) {
      faults.push(`${listed(prefix, names)} cannot be without ${prefix}RPC_URL`);
      continue;
    }
    const parsed = SCHEMAS[chain].safeParse(own);
    if (parsed.error)
      faults.push(
        ...parsed.error.issues.map(({ path, message }) => `${prefix}${String(path[0])} ${message}`),
      );
    else setUp(chains, chain, own);
  }
  return { chains, faults };
}

const listed = (prefix: string, names: string[]) => names.map((name) => prefix + name).join(', ');

function setUp(chains: ChainSettings, chain: Chain, own: Record<string, string | undefined>): void {
  if (chain === 'xrpl') {
    const { RPC_URL: rpcUrl, ID: networkId, ...s } = SCHEMAS.xrpl.parse(own);
    const tokens = bySymbol(s.TOKENS, ({ address: issuer, unit }) => ({
      issuer,
      currency: currencyCode(unit) ?? unit,
    }));
    chains.xrpl = { rpcUrl, networkId, tokens, depositAddress: s.DEPOSIT_ADDRESS };
  } else if (chain === 'trx') {
    const { RPC_URL: rpcUrl, API_KEY: apiKey, ...s } = SCHEMAS.trx.parse(own);
    chains.trx = { rpcUrl, apiKey, tokens: bySymbol(s.TOKENS, contract), depositAddress: s.DEPOSIT_ADDRESS };
  } else {
    const { RPC_URL: rpcUrl, ID: chainId, CONFIRMATIONS: confirmations, ...s } = SCHEMAS[chain].parse(own);
    const tokens = bySymbol(s.TOKENS, contract);
    chains[chain] = { rpcUrl, chainId, tokens, confirmations, depositAddress: s.DEPOSIT_ADDRESS };
  }
}

const contract = ({ address, unit }: Token) => ({ contract: address, decimals: Number(unit) });

const bySymbol = <T>(tokens: Token[], read: (token: Token) => T): Record<string, T> =>
  Object.fromEntries(tokens.map((token) => [token.symbol, read(token)]));
