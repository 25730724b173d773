import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Contract: agent keys are `rk_live_` followed by 48 hexadecimal characters. */
export const newAgentKey = (): string => `rk_live_${randomBytes(24).toString('hex')}`;

/** Contract: LP keys are `lp_` followed by characters. */
export const newLpKey = (): string => `lp_${randomBytes(24).toString('hex')}`;

/** Names a receipt in its URL, and cannot be guessed. */
export const newReceiptKey = (): string => `rcpt_${randomBytes(24).toString('hex')}`;

/** Whether a text from outside can be a receipt's name at all; the database refuses to even look for some texts. */
export const isReceiptKey = (text: string): boolean => /^rcpt_[0-9a-f]{48}$/.test(text);

/** Keys are random and long, so a plain SHA-256 is enough to make a stolen table useless. */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Compares two secrets in a time that tells nothing about them. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(hashKey(a), hashKey(b));

/** What is said to whoever is given a new key. */
export const SHOWN_ONCE = 'Store this key now: it is not shown again';
