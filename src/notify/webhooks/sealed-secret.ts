import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** A key of Standard Webhooks: `whsec_` and base64. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Whose webhooks a secret signs. Encryption binds it to its row. */
export interface SecretOwner {
  kind: 'lp' | 'agent';
  id: number;
}

const ALGORITHM = 'aes-256-gcm';
const [IV_BYTES, TAG_BYTES] = [12, 16];

const keyFrom = ({ kind }: SecretOwner, serviceSecret: string): Buffer =>
  hash('sha256', `corridor ${kind} webhook secrets\n${serviceSecret}`, 'buffer');

/**
 * Encrypts the secret of an LP or an agent under a secret of the service. Corridor signs with the plain secret, so it
 * cannot store a hash. Without the setting, a stolen database does not reveal the secret.
 */
export function sealSecret(secret: string, owner: SecretOwner, serviceSecret: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyFrom(owner, serviceSecret), iv).setAAD(aadOf(owner));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined: it was sealed with none of these service secrets, or for another owner. */
export function openSecret(
  sealed: Buffer,
  owner: SecretOwner,
  ...serviceSecrets: readonly (string | undefined)[]
): string | undefined {
  for (const serviceSecret of serviceSecrets) {
    const opened = serviceSecret === undefined ? undefined : openWith(sealed, owner, serviceSecret);
    if (opened !== undefined) return opened;
  }
  return undefined;
}

/** A secret and the one before it, as they are stored. */
export interface SealedPair {
  secret: Buffer;
  previous: Buffer | null;
}

/**
 * Both encrypted under `first`, if only `second` opens the secret. Undefined: `first` opens it already, or none does. A
 * previous secret that `second` does not open stays as it is.
 */
export function resealed(
  { secret, previous }: SealedPair,
  owner: SecretOwner,
  first: string,
  second: string,
): SealedPair | undefined {
  const again = (sealed: Buffer): Buffer | undefined => {
    if (openSecret(sealed, owner, first) !== undefined) return undefined;
    const opened = openSecret(sealed, owner, second);
    return opened === undefined ? undefined : sealSecret(opened, owner, first);
  };
  const fresh = again(secret);
  return fresh && { secret: fresh, previous: previous && (again(previous) ?? previous) };
}

function openWith(sealed: Buffer, owner: SecretOwner, serviceSecret: string): string | undefined {
  try {
    const iv = sealed.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, keyFrom(owner, serviceSecret), iv)
      .setAAD(aadOf(owner))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return text.toString();
  } catch {
    return undefined;
  }
}

const aadOf = ({ id }: SecretOwner): Buffer => Buffer.from(String(id));
