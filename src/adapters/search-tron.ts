import { z } from 'zod';
import { boundedSearch } from './bounded-search.ts';
import type { ExpectedTransfer, TransferSearch } from './ports.ts';

/** TronGrid's largest page. */
const PAGE_SIZE = 200;
const MOST_PAGES = 5;

/** A page of `v1/accounts/{address}/transactions/trc20`, newest first. */
const Page = z.object({
  data: z.array(
    z.object({
      transaction_id: z.string().regex(/^[0-9a-f]{64}$/i),
      /** Milliseconds. */
      block_timestamp: z.number(),
      from: z.string(),
      to: z.string(),
      type: z.string().optional(),
      /** In the token's smallest units. */
      value: z.string().regex(/^\d+$/),
      token_info: z.object({ address: z.string() }),
    }),
  ),
  meta: z.object({ fingerprint: z.string().optional() }).default({}),
});
type Listed = z.output<typeof Page>['data'][number];

export interface TronSearch {
  contract: string;
  /** The transfer's amount in the token's smallest units, as text. */
  units: string;
  /** Whether an address is the platform's own. */
  isFromPlatform: (from: string) => boolean;
  /** Sends a GET. Undefined: the node does not know the path. */
  get: (path: string) => Promise<unknown>;
}

/**
 * Searches the transfers of a token to the recipient. TronGrid indexes transfers by account; a bare full node does not
 * index them.
 */
export function searchTron(
  { contract, units, isFromPlatform, get }: TronSearch,
  { recipient, notBefore, platformMaySend }: ExpectedTransfer,
): Promise<TransferSearch> {
  const isTransfer = ({ block_timestamp, from, to, type = 'Transfer', value, token_info }: Listed) =>
    type === 'Transfer' &&
    to === recipient &&
    from !== recipient &&
    token_info.address === contract &&
    BigInt(value) === BigInt(units) &&
    (platformMaySend || !isFromPlatform(from)) &&
    block_timestamp >= notBefore.getTime();

  return boundedSearch(MOST_PAGES, '', async (fingerprint) => {
    const query = new URLSearchParams({
      ...{ only_to: 'true', contract_address: contract, order_by: 'block_timestamp,desc' },
      ...{ min_timestamp: String(notBefore.getTime()), limit: String(PAGE_SIZE) },
      ...(fingerprint === '' ? {} : { fingerprint }),
    });
    const page = Page.safeParse(await get(`v1/accounts/${recipient}/transactions/trc20?${query}`));
    if (!page.success) return 'refused';
    const { data, meta } = page.data;
    return { txHash: data.find(isTransfer)?.transaction_id.toLowerCase(), next: meta.fingerprint };
  });
}
