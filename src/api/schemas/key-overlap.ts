import { z } from 'zod';
import { MAX_DURATION_MS, parseDuration } from '../../domain/duration.ts';
import { describeField } from './request-fields.ts';

const DEFAULT_OVERLAP = '24h';
const OVERLAP_ERROR = 'must be a duration such as 24h, or whole seconds, and at most 365d';

/** Reads a duration string or a number of seconds; outputs milliseconds. */
export const overlap = z
  .union([z.string(), z.number()], { error: OVERLAP_ERROR })
  .default(DEFAULT_OVERLAP)
  .transform((given, ctx) => {
    const ms = parseDuration(typeof given === 'number' ? `${given}s` : given);
    if (ms !== undefined && ms <= MAX_DURATION_MS) return ms;
    ctx.addIssue(OVERLAP_ERROR);
    return z.NEVER;
  })
  .describe(
    `A whole number with \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, such as \`24h\`, or a number of seconds; at most \`365d\`. Default: \`${DEFAULT_OVERLAP}\`.`,
  );

/** The overlap of a key's rotation. */
export const keyOverlap = describeField(overlap, 'How long the old key stays valid beside the new one.');
