import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** A key of Standard Webhooks: `whsec_` and base64. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const ALGORITHM = 'aes-256-gcm';
const [IV_BYTES, TAG_BYTES] = [12, 16];

const keyFrom = (serviceSecret: string): Buffer =>
  hash('sha256', `corridor lp webhook secrets\n${serviceSecret}`, 'buffer');

/**
 * Encrypts an LP's secret under the service's own webhook secret. Corridor signs with the plain secret, so it cannot
 * store a hash. Without the setting, a stolen database does not reveal the secret. `lpId` binds the text to its row.
 */
export function sealSecret(secret: string, lpId: number, serviceSecret: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyFrom(serviceSecret), iv).setAAD(Buffer.from(String(lpId)));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined: it was sealed with another service secret, or for another LP. */
export function openSecret(sealed: Buffer, lpId: number, serviceSecret: string): string | undefined {
  try {
    const decipher = createDecipheriv(ALGORITHM, keyFrom(serviceSecret), sealed.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(String(lpId)))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return text.toString();
  } catch {
    return undefined;
  }
}
