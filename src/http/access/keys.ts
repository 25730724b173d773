import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Contract: agent keys are `rk_live_` followed by 48 hexadecimal characters. */
export const newAgentKey = (): string => `rk_live_${randomBytes(24).toString('hex')}`;

/** Contract: LP keys are `lp_` followed by characters. */
export const newLpKey = (): string => `lp_${randomBytes(24).toString('hex')}`;

/** The key of an admin: `adm_live_` followed by 48 hexadecimal characters. */
export const newAdminKey = (): string => `adm_live_${randomBytes(24).toString('hex')}`;

/** Whether a text has the form of an admin's key. Others need no lookup. */
export const isAdminKey = (text: string): boolean => /^adm_live_[0-9a-f]{48}$/.test(text);

/** Identifies a receipt in its URL; random, so that nobody can guess it. */
export const newReceiptKey = (): string => `rcpt_${randomBytes(24).toString('hex')}`;

/** Whether a text has the form of a receipt key. PostgreSQL refuses some texts as query parameters. */
export const isReceiptKey = (text: string): boolean => /^rcpt_[0-9a-f]{48}$/.test(text);

/** Keys are random and long, so a plain SHA-256 is enough to make a stolen table useless. */
export const hashKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Compares two secrets in constant time. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(hashKey(a), hashKey(b));

/** The warning beside every new key in a response. */
export const SHOWN_ONCE = 'Store this key now: it is not shown again';
/** The same beside a key and a webhook secret. */
export const SHOWN_BOTH_ONCE = 'Store this key and this secret now: they are not shown again';
