import { z } from 'zod';
import { MAX_DURATION_MS, parseDuration } from '../../domain/duration.ts';
import { describeField } from './request-fields.ts';

const DEFAULT_OVERLAP = '24h';
const OVERLAP_ERROR = 'must be a duration such as 24h, or whole seconds, and at most 365d';
const FORM =
  'A whole number with `ms`, `s`, `m`, `h` or `d`, such as `24h`, or a number of seconds; at most `365d`.';

const text = z.union([z.string(), z.number()], { error: OVERLAP_ERROR });

/** Reads a duration string or a number of seconds; outputs milliseconds. */
function milliseconds(given: string | number, ctx: z.RefinementCtx): number {
  const ms = parseDuration(typeof given === 'number' ? `${given}s` : given);
  if (ms !== undefined && ms <= MAX_DURATION_MS) return ms;
  ctx.addIssue(OVERLAP_ERROR);
  return z.NEVER;
}

export const overlap = text
  .default(DEFAULT_OVERLAP)
  .transform(milliseconds)
  .describe(`${FORM} Default: \`${DEFAULT_OVERLAP}\`.`);

/** The overlap of a key's rotation. */
export const keyOverlap = describeField(overlap, 'How long the old key stays valid beside the new one.');

/** An overlap that the caller must choose. */
export const chosenOverlap = (description: string) =>
  describeField(text.transform(milliseconds).describe(FORM), description);
