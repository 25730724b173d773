import { CHAINS } from './assets.ts';
import { MAX_DURATION_MS, parseDuration } from './duration.ts';
import { editsBetween } from './near-miss.ts';
import { ORDER_STATUSES } from './order-state.ts';

/**
 * The filter of a bulk run: conditions separated by spaces, such as `status=claimed,fiat_sent currency=KES due<30m`. All of
 * them must hold.
 */

/** What the conditions select. A missing field selects every order. Instants are ISO 8601. */
export interface BulkFilter {
  status?: string[];
  currency?: string[];
  chain?: string[];
  agent?: number[];
  lp?: number[];
  frozen?: boolean;
  dueBefore?: string;
  dueAfter?: string;
  createdBefore?: string;
  createdAfter?: string;
}

/** `fault` says what is wrong with a filter and what to write instead. */
export type ParsedFilter = { filter: BulkFilter } | { fault: string };

class Fault extends Error {}

/**
 * Reads a filter. `now` turns relative times into instants: `due<30m` is a deadline in less than 30 minutes or a past one, and
 * `created>2d` is an order older than 2 days. Does not check whether a currency, an agent or an LP exists.
 */
export function parseBulkFilter(text: string, now: Date): ParsedFilter {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length === 0) return { fault: `is empty: name at least one of ${listed(NAMES)}` };
  const filter: BulkFilter = {};
  try {
    for (const word of words) addCondition(filter, word, now);
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
  return { filter };
}

/** Adds one condition. `key` is its place in the filter, which it may take once. */
type Field = (operator: string, value: string, now: Date) => [key: keyof BulkFilter, value: unknown];

const FIELDS = {
  status: equals('status', (value) => known(value, ORDER_STATUSES, 'a status')),
  currency: equals('currency', (value) => matching(value.toUpperCase(), /^[A-Z]{3}$/, 'a code such as KES')),
  agent: equals('agent', idOf),
  lp: equals('lp', idOf),
  chain: equals('chain', (value) => known(value, CHAINS, 'a chain')),
  frozen: (operator, value) => {
    requireOperator('frozen', operator, ['=']);
    return ['frozen', known(value, ['yes', 'no'], 'yes or no') === 'yes'];
  },
  // Time left until the deadline, so the instant of the deadline compares in the same direction.
  due: (operator, value, now) => {
    requireOperator('due', operator, ['<', '>']);
    return [operator === '<' ? 'dueBefore' : 'dueAfter', instantOf('due', value, (ms) => now.getTime() + ms)];
  },
  // A longer age is an earlier instant.
  created: (operator, value, now) => {
    requireOperator('created', operator, ['<', '>']);
    const isBefore = (operator === '<') !== isDuration(value);
    const at = instantOf('created', value, (ms) => now.getTime() - ms);
    return [isBefore ? 'createdBefore' : 'createdAfter', at];
  },
} satisfies Record<string, Field>;
const NAMES = Object.keys(FIELDS);

function addCondition(filter: BulkFilter, word: string, now: Date): void {
  const [, name = '', operator = '', value = ''] = /^([^=<>]*)([=<>])([^=<>]+)$/.exec(word) ?? [];
  if (!name || !operator)
    throw new Fault(
      `has "${shown(word)}", which is no condition: write conditions such as status=claimed, without spaces in them`,
    );
  const field: Field | undefined = Object.hasOwn(FIELDS, name)
    ? FIELDS[name as keyof typeof FIELDS]
    : undefined;
  if (!field) throw new Fault(`has no field "${shown(name)}": ${meant(name, NAMES)}`);
  const [key, read] = field(operator, value, now);
  if (filter[key] !== undefined)
    throw new Fault(`has ${name}${operator} twice: write several values as status=claimed,fiat_sent`);
  Object.assign(filter, { [key]: read });
}

function equals<Value>(key: keyof BulkFilter & string, read: (value: string) => Value): Field {
  return (operator, value) => {
    requireOperator(key, operator, ['=']);
    return [key, [...new Set(value.split(',').map(read))]];
  };
}

function requireOperator(name: string, operator: string, allowed: string[]): void {
  if (!allowed.includes(operator))
    throw new Fault(`has ${name}${operator}: ${name} takes ${allowed.join(' or ')}`);
}

function known(value: string, values: readonly string[], what: string): string {
  if (values.includes(value)) return value;
  throw new Fault(`has "${shown(value)}", which is not ${what}: ${meant(value, values)}`);
}

function matching(value: string, pattern: RegExp, what: string): string {
  if (pattern.test(value)) return value;
  throw new Fault(`has "${shown(value)}", which is not ${what}`);
}

function idOf(value: string): number {
  return Number(matching(value, /^[1-9]\d{0,14}$/, 'an id: a positive whole number'));
}

const isDuration = (value: string): boolean => parseDuration(value) !== undefined;

/** An instant with a time zone; a date means its midnight in UTC. */
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

function instantOf(name: string, value: string, relative: (ms: number) => number): string {
  const ms = parseDuration(value);
  if (ms !== undefined && ms <= MAX_DURATION_MS) return new Date(relative(ms)).toISOString();
  const at = new Date(INSTANT.test(value) ? value : Number.NaN);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1970)
    throw new Fault(
      `has ${name} with "${shown(value)}": write a duration of at most 365d such as 30m, or a time such as 2026-11-21T15:00:00Z`,
    );
  return at.toISOString();
}

/** The nearest known names, or all of them. Names as short as `lp` are near to everything. */
function meant(name: string, names: readonly string[]): string {
  const lower = name.toLowerCase().slice(0, 32);
  const near = names.filter((other) => editsBetween(lower, other) <= Math.min(2, other.length / 2 - 0.5));
  const fewest = Math.min(...near.map((other) => editsBetween(lower, other)));
  const nearest = near.filter((other) => editsBetween(lower, other) === fewest);
  return nearest.length > 0 ? `did you mean ${nearest.join(' or ')}?` : `write one of ${listed(names)}`;
}

const listed = (names: readonly string[]): string => names.join(', ');
const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
