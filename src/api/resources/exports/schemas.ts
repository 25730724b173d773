import { z } from 'zod';
import { invalidField } from '../../../domain/errors.ts';
import { idInQuery } from '../../schemas/pages.ts';
import { describeField, instant } from '../../schemas/request-fields.ts';

/** The longest range of one export. A client exports a longer range as several files and appends them. */
const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

/** `from` and `to` of every export. */
export const rangeQuery = z.object({
  from: describeField(instant, 'The beginning of the range.'),
  to: describeField(instant, `The end of the range, not included; at most ${MAX_DAYS} days after \`from\`.`),
});

/** The same, for one LP. */
export const lpRangeQuery = rangeQuery.extend({ lp_id: describeField(idInQuery, 'The id of the LP.') });

export interface Range {
  from: Date;
  to: Date;
}

/** Refuses a range that ends before it begins, or is too long. */
export function requireRange({ from, to }: Range): Range {
  if (to <= from) throw invalidField('to', 'must be after from');
  if (to.getTime() - from.getTime() > MAX_DAYS * DAY_MS)
    throw invalidField('to', `must be at most ${MAX_DAYS} days after from: export a longer time in parts`);
  return { from, to };
}

export const CSV = { mediaTypes: ['text/csv'] } as const;
export const JOURNAL = { mediaTypes: ['text/plain'] } as const;
