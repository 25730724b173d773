import { z } from 'zod';
import { LP_STATUSES } from '../../../domain/lp-status.ts';
import { address, chain, describeField, destinationTag, line } from '../../schemas/request-fields.ts';
import { id, ok, time } from '../../schemas/response-fields.ts';

const place = {
  chain: describeField(chain, 'The chain of the address.'),
  address: describeField(
    address,
    'The address. On `xrpl` it may be an X-address, which contains its destination tag.',
  ),
};

/** `GET /api/admin/lp-addresses`. */
export const addressQuery = z.object({
  ...place,
  destination_tag: describeField(
    z
      .string()
      .regex(/^\d{1,10}$/, 'must be a whole number')
      .transform(Number)
      .pipe(destinationTag),
    'The destination tag of the address, on `xrpl` only. Default: none.',
  ).optional(),
});

const freeAt = time
  .nullable()
  .describe('When another LP may register the address. Null: the LP has it, or an order is paid there.');

export const addressHoldersResponse = z.strictObject({
  lps: z.array(
    z.strictObject({
      lp_id: id,
      status: z.enum(LP_STATUSES),
      symbols: z.array(z.string()).describe('The tokens that the LP takes there.'),
      pending_symbols: z
        .array(z.string())
        .describe('The tokens that the LP will take there when a change of its address takes effect.'),
      holds: z
        .boolean()
        .describe(
          'Whether the address is this LP’s. An LP that was never approved holds none against others.',
        ),
      free_at: freeAt,
    }),
  ),
});
export type AddressHoldersResponse = z.output<typeof addressHoldersResponse>;

/** `POST /api/admin/lps/:id/addresses/release`. */
export const releaseAddressRequest = z
  .object({
    ...place,
    destination_tag: describeField(
      destinationTag,
      'The destination tag of the address, on `xrpl` only. Default: none.',
    ).optional(),
    reason: describeField(line(500), 'Why the LP loses the address. Corridor keeps it with the release.'),
  })
  .meta({
    examples: [
      {
        chain: 'trx',
        address: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
        reason: 'Its owner has shown a signature',
      },
    ],
  });

export const releaseAddressResponse = ok.extend({
  symbols: z
    .array(z.string())
    .describe(
      'The tokens that the LP took there, for which it has no address now. A token whose change to this address waited keeps its previous address.',
    ),
  free_at: freeAt,
});
export type ReleaseAddressResponse = z.output<typeof releaseAddressResponse>;
