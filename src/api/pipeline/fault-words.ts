import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const TYPES: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a time',
};

const FORMATS: Record<string, string> = { url: 'a URL', uuid: 'a UUID', email: 'an email address' };

/**
 * The words for a fault that the schema gives no words of its own. They follow the name of the field: "limit must be at most
 * 100". Undefined: the words of zod.
 */
export function faultWords(issue: Issue): string | undefined {
  if (issue.input === undefined && ['invalid_type', 'invalid_value'].includes(issue.code))
    return missing(issue);
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] && `must be ${TYPES[issue.expected]}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'of the documented form'}`;
    case 'too_big':
      return bounded(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'too_small':
      return bounded(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `${issue.keys.join(', ')}: no such field`;
    default:
      return undefined;
  }
}

const missing = (issue: Issue): string =>
  issue.code === 'invalid_value' ? `is required: ${oneOf(issue.values)}` : 'is required';

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`;

function bounded(origin: string, limit: string, bound: number | bigint | Date): string {
  const size = origin === 'date' ? new Date(Number(bound)).toISOString() : String(bound);
  if (origin === 'string') return `must have ${limit} ${size} ${bound === 1 ? 'character' : 'characters'}`;
  if (origin === 'array') return `must have ${limit} ${size} ${bound === 1 ? 'entry' : 'entries'}`;
  return `must be ${limit} ${size}`;
}
