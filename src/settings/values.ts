import { z } from 'zod';
import { durationText, MAX_DURATION_MS, parseDuration } from '../domain/duration.ts';
import { readCrashPlan } from '../process/crash-point.ts';

/** How the text of an environment variable is read. Each function returns a schema from text to a value. */

/** Milliseconds, from a text such as `15m`. */
export const duration = (byDefault: string, leastMs = 1, mostMs = MAX_DURATION_MS) =>
  z
    .string()
    .default(byDefault)
    .transform((text, ctx) => {
      const ms = parseDuration(text);
      if (ms === undefined || ms < Math.min(leastMs, 1) || ms > Math.max(mostMs, MAX_DURATION_MS))
        ctx.addIssue(`must be a duration such as 500ms, 15m or 24h, not "${text}"`);
      else if (ms < leastMs) ctx.addIssue(`must be at least ${durationText(leastMs)}`);
      else if (ms > mostMs) ctx.addIssue(`must be at most ${durationText(mostMs)}`);
      else return ms;
      return z.NEVER;
    });

/** One of these texts. */
export const choice = <const Texts extends readonly string[]>(texts: Texts) =>
  z.enum(texts, `must be one of ${texts.join(', ')}`);

export const flag = choice(['true', 'false']).transform((text) => text === 'true');

export const onOrOff = choice(['on', 'off'])
  .default('off')
  .transform((text) => text === 'on');

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

export const port = wholeNumber(1, 65_535);

/** A limit of requests or events per 60 s; 0 turns it off. */
export const rateLimit = (byDefault: number) => wholeNumber(0, 100_000).default(byDefault);

export const ratio = z
  .string()
  .refine((text) => /^(0|1|[01]?\.\d+)$/.test(text) && Number(text) <= 1, {
    error: 'must be a number from 0 to 1',
  })
  .transform(Number);

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) address' });
export const httpUrlWithoutSlash = httpUrl.transform(withoutSlash);
export const webSocketUrlWithoutSlash = z
  .url({ protocol: /^wss?$/, error: 'must be a ws(s) address' })
  .transform(withoutSlash);

/** A guess would try a repeated character first. */
export const secret = z
  .string()
  .min(16, 'must have at least 16 characters')
  .refine((text) => new Set(text).size >= 4, 'must be random: it has fewer than four different characters');
export const webhookSecret = secret.regex(
  /^(?!whsec_)|^whsec_([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  { error: 'must have base64 after whsec_' },
);

/**
 * Origins as browsers send them. Any other form would never match, so every browser would be refused without an error.
 */
export const origins = z
  .string()
  .default('')
  .transform((text, ctx) => {
    const listed = text.split(',').flatMap((part) => part.trim() || []);
    const wrong = listed.find((origin) => !isOrigin(origin));
    if (wrong === undefined) return listed;
    ctx.addIssue(
      `must be origins such as https://shop.example, with commas between them: "${wrong}" is not scheme://host[:port]`,
    );
    return z.NEVER;
  });

/** Browsers omit the path, the default port and capital letters. */
function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text))
    return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:\d{1,5})?$/.test(text);
}

export const crashPlan = z
  .string()
  .default('')
  .transform((text, ctx) => {
    try {
      return readCrashPlan(text);
    } catch (error) {
      ctx.addIssue(`cannot be read: ${(error as Error).message}`);
      return z.NEVER;
    }
  });
