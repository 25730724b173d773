import { isValidIBAN } from 'ibantools';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/mobile';
import { nearestNames } from '../../domain/near-miss.ts';
import { isVisibleLine } from '../../domain/visible-line.ts';
import type { RecipientField, RecipientSchema } from './recipient-fields.ts';

/** More fields than any corridor has. To check further fields would only cost time. */
const MOST_FIELDS = 32;

/** Whether a text is accepted in place of a phone number, because test recipients of a sandbox have no real number. */
type IsTestPhone = (text: string) => boolean;
const NO_TEST_PHONES: IsTestPhone = () => false;

/**
 * The faults of a recipient's fields, one sentence each; empty: none. No sentence repeats a given value or name,
 * because clients log errors and a recipient is personal data.
 */
export function listFaults(
  { properties, required }: RecipientSchema,
  countries: readonly string[],
  details: Readonly<Record<string, string>>,
  isTestPhone = NO_TEST_PHONES,
): string[] {
  const names = Object.keys(details);
  if (names.length > MOST_FIELDS) return [`has more than ${MOST_FIELDS} fields`];
  const known = Object.keys(properties);
  const unknown = names.filter((name) => !known.includes(name));
  const meant = unknown.flatMap((name) => nearestNames(name.toLowerCase(), known));
  return [
    ...(unknown.length > 0
      ? [
          `has an unknown field: ${meant.length > 0 ? `did you mean ${meant[0]}?` : `it may have ${known.join(', ')}`}`,
        ]
      : []),
    ...required.flatMap((name) => (Object.hasOwn(details, name) ? [] : `${name} is required`)),
    ...known.flatMap((name) => {
      const [field, value] = [properties[name], details[name]];
      if (!field || value === undefined || !Object.hasOwn(details, name)) return [];
      const fault = faultOf(field, countries, value, isTestPhone);
      return fault === undefined ? [] : `${name} ${fault}`;
    }),
  ];
}

function faultOf(
  { format, minLength = 1, maxLength, pattern, enum: values, description, title }: RecipientField,
  countries: readonly string[],
  value: string,
  isTestPhone: IsTestPhone,
): string | undefined {
  if (value.length > 2 * maxLength) return `must have at most ${maxLength} characters`;
  const length = [...value].length;
  if (length < minLength)
    return length === 0 ? 'must not be empty' : `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  if (!isVisibleLine(value)) return 'must be one line of visible characters';
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return `does not have the form of its field: ${description ?? title}`;
  if (values && !values.includes(value)) return `must be one of ${values.join(', ')}`;
  if (format === 'phone' && !isPhoneIn(countries, value) && !isTestPhone(value))
    return `must be a mobile number in ${listCountries(countries)}`;
  if (format === 'iban' && !(isValidIBAN(value) && countries.includes(value.slice(0, 2))))
    return `must be a valid IBAN of ${listCountries(countries)}`;
  return undefined;
}

/** Whether a text in international form is a mobile number in one of the countries. */
function isPhoneIn(countries: readonly string[], text: string): boolean {
  const phone = parsePhoneNumberFromString(text, { extract: false });
  return phone?.isValid() === true && phone.number === text && countries.includes(String(phone.country));
}

/**
 * Converts a number as people write it, such as `0700 123 456`, into international form. Undefined: it is not a number
 * of these countries.
 */
export function internationalPhone(countries: readonly string[], text: string): string | undefined {
  // The library also reads letters, extensions and digits of other scripts.
  if (!/^[+0-9 ().-]{1,32}$/.test(text)) return undefined;
  const numbers = countries.flatMap((country) => {
    const phone = parsePhoneNumberFromString(text, {
      defaultCountry: country as CountryCode,
      extract: false,
    });
    return phone?.isValid() && phone.country === country ? phone.number : [];
  });
  // A local number that fits two of the countries is ambiguous.
  return new Set(numbers).size === 1 ? numbers[0] : undefined;
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

function listCountries(countries: readonly string[]): string {
  if (countries.length > 8) return `one of ${countries.length} countries (GET /api/v1/corridors lists them)`;
  return countries
    .map((country) => NAMES.of(country) ?? country)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');
}
