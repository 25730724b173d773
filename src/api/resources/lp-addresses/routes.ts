import type { Chain } from '../../../domain/assets.ts';
import { DomainError } from '../../../domain/errors.ts';
import { type AddressPlace, addressHolders, releaseAddress } from '../../../market/lps/release-address.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import {
  addressHoldersResponse,
  addressQuery,
  releaseAddressRequest,
  releaseAddressResponse,
} from './schemas.ts';

interface GivenPlace {
  chain: Chain;
  address: string;
  destination_tag?: number | undefined;
}

/** Corridor cannot verify whose an address is: an admin decides when two LPs want one. */
export function lpAddressRoutes({ db, chains, log }: ApiDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/admin/lp-addresses',
      auth: 'admin',
      summary: 'List the LPs that have a receive address',
      answers: { 200: addressHoldersResponse },
      refuses: [],
      query: addressQuery,
      handle: async ({ query }) => {
        const holders = await addressHolders(db, placeOf(query));
        const lps = holders.map((holder) => ({ ...holder, free_at: isoTime(holder.free_at) }));
        return { status: 200, body: { lps } };
      },
    }),
    route({
      method: 'post',
      path: '/api/admin/lps/:id/addresses/release',
      auth: 'admin',
      permission: 'lps:manage',
      summary: 'Take a receive address from a liquidity provider',
      description:
        'For an address that another LP has shown to be its own. Orders that are paid there go on.',
      answers: { 200: releaseAddressResponse },
      refuses: ['not_found'],
      body: releaseAddressRequest,
      handle: async ({ params, body }) => {
        const lpId = idFrom(params.id);
        const released = await releaseAddress(db, lpId, { ...placeOf(body), reason: body.reason });
        if (!released) throw new DomainError('not_found', `LP ${lpId} does not have this address`);
        const { symbols, free_at } = released;
        log.info({ lpId, chain: body.chain, symbols }, 'an admin has taken a receive address from an LP');
        return { status: 200, body: { ok: true, symbols, free_at: isoTime(free_at) } };
      },
    }),
  ];

  function placeOf({ chain, address, destination_tag: tag }: GivenPlace): AddressPlace {
    const decoded = chains.get(chain)?.tags?.decode(address);
    return decoded
      ? { chain, address: decoded.address, destinationTag: decoded.tag }
      : { chain, address, destinationTag: tag ?? null };
  }
}

const isoTime = (time: Date | null): string | null => time && new Date(time).toISOString();
