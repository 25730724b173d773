import { z } from 'zod';
import { CHAINS, isChain } from '../domain/assets.ts';

/** The pages of a block explorer, in which `{tx}` or `{address}` stands for the value. Null: none. */
export interface ExplorerPages {
  tx: string | null;
  address: string | null;
}
/** By chain. */
export type Explorers = Record<string, ExplorerPages>;

/** The placeholder is behind the host, so that no value can lead to another site. */
const PAGE = /^https?:\/\/[^/\\?#@{}\s]+\/[^{}\s]*\{(tx|address)\}[^{}\s]*$/;

/** Such as `trx=https://tronscan.org/#/transaction/{tx}, trx=https://tronscan.org/#/address/{address}`. */
export const explorers = z
  .string()
  .default('')
  .transform((text, ctx): Explorers => {
    const read: Explorers = {};
    for (const part of text.split(',').flatMap((one) => one.trim() || [])) {
      const [, chain = '', url = ''] = /^(\w+)=(.*)$/.exec(part) ?? [];
      const kind = URL.canParse(url) ? (PAGE.exec(url)?.[1] as keyof ExplorerPages | undefined) : undefined;
      const pages = isChain(chain) ? (read[chain] ?? { tx: null, address: null }) : undefined;
      if (kind && pages?.[kind] === null) read[chain] = { ...pages, [kind]: url };
      else
        ctx.addIssue(
          `must be chain=URL with commas between them, and each URL an http(s) address with {tx} or {address} in its path, once for each chain: "${part}" is not. The chains are ${CHAINS.join(', ')}`,
        );
    }
    return read;
  });
