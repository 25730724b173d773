import { getCountries } from 'libphonenumber-js/mobile';
import { z } from 'zod';
import { decimalPlaces, SCALE } from '../../domain/money.ts';
import { listFaults } from './list-faults.ts';
import { recipientSchema, slug, text } from './recipient-fields.ts';

/** The shape of the built-in corridors file and of the operator's own. */

const amount = z
  .number()
  .positive()
  .max(1_000_000_000_000)
  .refine((n) => decimalPlaces(n) <= SCALE.fiat, `must have at most ${SCALE.fiat} digits after the point`);

export const institution = z.strictObject({
  code: z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, 'must be 1 to 32 letters, digits, hyphens and underscores'),
  name: text,
});

const method = z
  .strictObject({
    name: text,
    /** Where the limits and the institutions come from. */
    source: text,
    min: amount,
    max: amount,
    institutions: z.array(institution),
    institution_required: z.boolean(),
    /** The field that a bare `recipient` fills. */
    recipient_field: z.string(),
    recipient: recipientSchema,
    examples: z.array(z.record(z.string(), z.string())).min(1),
  })
  .superRefine(({ min, max, institutions, institution_required, recipient_field, recipient }, ctx) => {
    const refuse = (path: string[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    if (max < min) refuse(['max'], 'must not be less than min');
    const codes = institutions.map(({ code }) => code);
    if (new Set(codes).size < codes.length) refuse(['institutions'], 'must not repeat a code');
    if (institution_required && codes.length === 0)
      refuse(['institutions'], 'must have one at least, because institution_required is true');
    const fields = Object.keys(recipient.properties);
    const unknown = recipient.required.find((field) => !fields.includes(field));
    if (unknown !== undefined) refuse(['recipient', 'required'], `${unknown} is not one of the properties`);
    if (!recipient.required.includes(recipient_field))
      refuse(['recipient_field'], 'must be one of the required fields of the recipient');
  });

const corridor = z
  .strictObject({
    name: text,
    countries: z.array(z.string().regex(/^[A-Z]{2}$/, 'must be an ISO 3166 code such as KE')).min(1),
    default_method: z.string(),
    methods: z.record(slug('a method'), method),
  })
  .superRefine(({ countries, default_method, methods }, ctx) => {
    const refuse = (path: (string | number)[], message: string) =>
      ctx.addIssue({ code: 'custom', path, message });
    if (!Object.hasOwn(methods, default_method)) refuse(['default_method'], 'is not one of the methods');
    const withPhones: readonly string[] = getCountries();
    for (const [name, { recipient, examples }] of Object.entries(methods)) {
      const hasPhone = Object.values(recipient.properties).some(({ format }) => format === 'phone');
      const unknown = hasPhone && countries.find((country) => !withPhones.includes(country));
      if (unknown) refuse(['countries'], `${unknown} is not a country with phone numbers`);
      for (const [i, example] of examples.entries()) {
        const [fault] = listFaults(recipient, countries, example);
        if (fault) refuse(['methods', name, 'examples', i], fault);
      }
    }
  });

export const corridorFile = z.strictObject({
  currencies: z.record(z.string().regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as KES'), corridor),
});

export type Corridor = z.output<typeof corridor>;
export type Method = z.output<typeof method>;
