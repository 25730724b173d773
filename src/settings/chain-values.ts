import { decodeXAddress, isValidXAddress } from 'ripple-address-codec';
import { z } from 'zod';
import { IS_ADDRESS } from '../adapters/addresses.ts';
import { type Chain, NATIVE_SYMBOLS } from '../domain/assets.ts';

export const depositAddress = (chain: Chain) =>
  z
    .string()
    // On the XRP Ledger an X-address contains the destination tag of an account at an exchange.
    .refine((text) => IS_ADDRESS[chain](text) || (chain === 'xrpl' && isValidXAddress(text)), {
      error: `must be an address of ${chain}`,
    })
    .nullable()
    .default(null);

const MOST_RESERVE_ADDRESSES = 10;

/** `<address>,…`. At most ten, because a check of the reserves queries the node for each. */
export const reserveAddresses = (chain: Chain) =>
  z
    .string()
    .default('')
    .transform((text, ctx) => {
      const addresses = text.split(',').flatMap((part) => part.trim() || []);
      if (addresses.length <= MOST_RESERVE_ADDRESSES && addresses.every(IS_ADDRESS[chain])) return addresses;
      ctx.addIssue(
        `must be at most ${MOST_RESERVE_ADDRESSES} addresses of ${chain}, with commas between them`,
      );
      return z.NEVER;
    });

/**
 * Whether an address can be one of this network: X-addresses of the main network, whose id is 0, differ from those of
 * others.
 */
export const isOfXrplNetwork = (address: string | null, networkId: number): boolean =>
  address === null || !isValidXAddress(address) || decodeXAddress(address).test === (networkId !== 0);

/** `usdt:<contract>:6,…` */
export const tokenContracts = (chain: Exclude<Chain, 'xrpl'>) =>
  tokenList(chain, 'symbol:contract:decimals', (contract, decimals) =>
    /^\d{1,2}$/.test(decimals) && Number(decimals) <= 36
      ? { contract, decimals: Number(decimals) }
      : undefined,
  );

/** `usdt:<issuer>:USDT,…` */
export const issuedCurrencies = tokenList('xrpl', 'symbol:issuer:currency', (issuer, unit) => {
  const currency = currencyCode(unit);
  return currency === undefined ? undefined : { issuer, currency };
});

/** Tokens by symbol. `read` converts a token's address and unit; undefined: the unit is wrong. */
function tokenList<Token>(
  chain: Chain,
  form: string,
  read: (address: string, unit: string) => Token | undefined,
) {
  return z
    .string()
    .default('')
    .transform((text, ctx) => {
      const tokens: Record<string, Token> = {};
      for (const entry of text.split(',').flatMap((part) => part.trim() || [])) {
        const [given = '', address = '', unit = '', ...rest] = entry.split(':');
        const symbol = given.toLowerCase();
        const isNew = /^[a-z0-9]{2,16}$/.test(symbol) && symbol !== NATIVE_SYMBOLS[chain] && !tokens[symbol];
        const token = isNew && IS_ADDRESS[chain](address) && rest.length === 0 && read(address, unit);
        if (!token) {
          ctx.addIssue(`must be ${form}, with commas between tokens, and addresses of ${chain}`);
          return z.NEVER;
        }
        tokens[symbol] = token;
      }
      return tokens;
    });
}

/** The ledger's form of a currency: three characters, or the 40 hexadecimal digits that encode a longer name. */
function currencyCode(unit: string): string | undefined {
  if (/^[0-9A-Fa-f]{40}$/.test(unit)) return unit.toUpperCase();
  if (/^[A-Za-z0-9]{3}$/.test(unit) && unit !== 'XRP') return unit;
  if (!/^[A-Za-z0-9]{4,20}$/.test(unit)) return undefined;
  return Buffer.from(unit, 'ascii').toString('hex').padEnd(40, '0').toUpperCase();
}
