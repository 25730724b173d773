import { electronicFormatIBAN } from 'ibantools';
import { ANY_METHOD, DEFAULT_METHOD, type Delivery } from '../../domain/delivery.ts';
import { invalidField } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { nearestNames } from '../../domain/near-miss.ts';
import { internationalPhone, listFaults } from './list-faults.ts';
import type { Corridors } from './load.ts';
import type { Corridor, Method } from './schema.ts';

/** The part of a request that determines the fiat and its method. Amounts are decimal strings. */
export interface RouteRequest {
  /** Null: not yet known, so the method's limits are not checked. */
  amount: string | null;
  currency: string;
  method?: string | undefined;
  institution?: string | undefined;
  recipient_details?: Record<string, string> | undefined;
}

export interface DeliveryRequest extends RouteRequest {
  recipient?: string | undefined;
}

export interface ResolverSettings {
  corridors: Corridors;
  /** In a sandbox, the numbers of the test recipients are valid in every corridor. */
  sandbox: boolean;
}

/** Country code 999 is not assigned. `TEST_RECIPIENTS` has the numbers with a meaning. */
const isTestRecipient = (text: string): boolean => /^\+999\d{8}$/.test(text);

/** Returns the method of a quote, and checks all other fields of the request. Throws `validation_failed`. */
export function resolveMethod(settings: ResolverSettings, request: RouteRequest): Route {
  const found = findMethod(settings.corridors, request);
  if (found && request.recipient_details) checkDetails(settings, found, request.recipient_details);
  return routeOf(found, request);
}

/**
 * Returns the method and the recipient of a payment's fiat. Throws `validation_failed` if the corridor does not allow
 * them.
 */
export function resolveDelivery(settings: ResolverSettings, request: DeliveryRequest): Delivery {
  const { recipient, recipient_details } = request;
  const found = findMethod(settings.corridors, request);
  if (!found) {
    if (recipient === undefined) throw invalidField('recipient', 'is required');
    const route = routeOf(found, request);
    return { ...route, institution: null, recipient, recipient_details: null };
  }
  const { method } = found;
  const route = routeOf(found, request);
  const institution = request.institution ?? null;
  const field = method.recipient_field;
  if (recipient_details === undefined) {
    if (recipient === undefined) throw invalidField('recipient', 'is required, or recipient_details');
    if (settings.sandbox && isTestRecipient(recipient))
      return { ...route, institution, recipient, recipient_details: { [field]: recipient } };
    requireInstitution(found, institution);
    return { ...route, institution, recipient, recipient_details: detailsOf(found, recipient) };
  }
  requireInstitution(found, institution);
  checkDetails(settings, found, recipient_details);
  const text = String(recipient_details[field]);
  if (recipient !== undefined && readBare(found, recipient).details[field] !== text)
    throw invalidField('recipient', `must be ${field} of recipient_details, or left out`);
  return { ...route, institution, recipient: recipient ?? text, recipient_details };
}

/**
 * The account of a delivery as one text: the required fields of the recipient, without spaces and punctuation. It is the
 * same for all spellings, institutions and optional fields that a request may add.
 */
export function accountOf(
  { corridors }: ResolverSettings,
  {
    currency,
    method,
    recipient,
    recipient_details,
  }: Omit<Delivery, 'corridor_method'> & { currency: string },
): string {
  const schema = corridors.get(currency)?.methods[method]?.recipient;
  const values = schema && recipient_details ? schema.required.map((field) => recipient_details[field]) : [];
  const text = (value: string | undefined) =>
    String(value)
      .normalize('NFKC')
      .replace(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase();
  return [currency, ...(values.length > 0 ? values : [recipient]).map(text)].join(' ');
}

type Route = Pick<Delivery, 'method' | 'corridor_method'>;

const routeOf = (found: Found | undefined, { method }: RouteRequest): Route =>
  found
    ? { method: found.id, corridor_method: found.id }
    : { method: method ?? DEFAULT_METHOD, corridor_method: ANY_METHOD };

/** A method of a currency's corridor. */
interface Found {
  currency: string;
  id: string;
  corridor: Corridor;
  method: Method;
}

/** The method that a request names, or the currency's default one. Undefined for a currency without a corridor. */
function findMethod(corridors: Corridors, request: RouteRequest): Found | undefined {
  const { amount, currency, institution } = request;
  const corridor = corridors.get(currency);
  if (!corridor) {
    for (const field of ['institution', 'recipient_details'] as const)
      if (request[field] !== undefined)
        throw invalidField(field, `must be left out: ${currency} has no corridor (GET /api/v1/corridors)`);
    return undefined;
  }
  const id = request.method ?? corridor.default_method;
  const method = Object.hasOwn(corridor.methods, id) ? corridor.methods[id] : undefined;
  if (!method) throw invalidField('method', notOneOf(id, Object.keys(corridor.methods)));
  const codes = method.institutions.map(({ code }) => code);
  if (institution !== undefined && !codes.includes(institution))
    throw invalidField('institution', notOneOf(institution, codes));
  if (amount !== null && (decimal(amount).lt(method.min) || decimal(amount).gt(method.max)))
    throw invalidField('amount', `must be from ${method.min} to ${method.max} ${currency} by ${id}`);
  return { currency, id, corridor, method };
}

const MOST_NAMED = 20;

/** Says which values a field may have, and which one may be meant. */
export function notOneOf(given: string, known: string[]): string {
  if (known.length === 0) return 'must be left out: this method has no institutions';
  const [meant] = nearestNames(given.toLowerCase(), known);
  const all =
    known.length > MOST_NAMED ? 'one that GET /api/v1/corridors lists' : `one of ${known.join(', ')}`;
  return `must be ${all}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

function requireInstitution({ currency, id, method }: Found, institution: string | null): void {
  if (!method.institution_required || institution !== null) return;
  throw invalidField('institution', `is required for ${currency} by ${id}: GET /api/v1/corridors lists them`);
}

function checkDetails({ sandbox }: ResolverSettings, found: Found, details: Record<string, string>): void {
  const { corridor, method } = found;
  const [fault] = listFaults(
    method.recipient,
    corridor.countries,
    details,
    sandbox ? isTestRecipient : undefined,
  );
  if (fault !== undefined) throw invalidField('recipient_details', fault);
}

/** Converts a bare recipient into the fields of the corridor's schema. */
function detailsOf(found: Found, recipient: string): Record<string, string> {
  const { currency, id, method } = found;
  const others = method.recipient.required.filter((field) => field !== method.recipient_field);
  if (others.length > 0)
    throw invalidField(
      'recipient',
      `is not enough for ${currency} by ${id}: send recipient_details with ${method.recipient.required.join(', ')}`,
    );
  const { details, faults } = readBare(found, recipient);
  if (faults[0] !== undefined)
    throw invalidField('recipient', `is not a recipient for ${currency} by ${id}: ${faults[0]}`);
  return details;
}

function readBare({ corridor, method }: Found, recipient: string) {
  const { countries } = corridor;
  const name = method.recipient_field;
  const format = method.recipient.properties[name]?.format;
  const value =
    (format === 'phone' && internationalPhone(countries, recipient)) ||
    (format === 'iban' && /^[A-Za-z0-9 ]+$/.test(recipient) && electronicFormatIBAN(recipient)) ||
    recipient;
  const details = { [name]: value };
  return { details, faults: listFaults(method.recipient, countries, details) };
}
