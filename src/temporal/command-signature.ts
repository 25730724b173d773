import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Command, CommandRequest, Notice } from '../domain/order-commands.ts';

/**
 * Corridor signs each command and each notice before it sends the signal. The worker verifies the signature before it runs
 * the step, because anybody who reaches Temporal's port can send signals too. The workflow cannot verify them, because its
 * history would then contain the secret.
 */

/** A signature covers all other fields: it is not valid for any other order, version, request, actor or command. */
export interface SignedCommand extends CommandRequest<Command | Notice> {
  orderId: number;
}

/** Why a command is refused. `expired`: the API signed it too long ago. */
export type SignatureFault = 'missing' | 'wrong' | 'expired';

/**
 * A repeated signal finds the outcome of the first. Outcomes are deleted after a day (`src/operations/upkeep/jobs/prune.ts`), so a
 * signature must end before that.
 */
const VALID_MS = 12 * 3_600_000;

/** Returns the time of the signature and the HMAC, as `1790000000000.mac`. */
export const signCommand = (secret: string, signed: SignedCommand, at = Date.now()): string =>
  `${at}.${mac(secret, signed, at).toString('base64url')}`;

/** Returns why the signature is not valid, or undefined if one of the secrets made it. */
export function signatureFault(
  secrets: readonly string[],
  signed: SignedCommand,
  now = Date.now(),
): SignatureFault | undefined {
  // From Temporal, so of any type.
  const signature: unknown = signed.signature;
  if (typeof signature !== 'string' || signature === '') return 'missing';
  const [, digits, text] = /^(\d{1,15})\.([\w-]{43})$/.exec(signature) ?? [];
  if (digits === undefined || text === undefined) return 'wrong';
  const at = Number(digits);
  const given = Buffer.from(text, 'base64url');
  if (!secrets.some((secret) => timingSafeEqual(mac(secret, signed, at), given))) return 'wrong';
  return now - at > VALID_MS ? 'expired' : undefined;
}

function mac(secret: string, signed: SignedCommand, at: number): Buffer {
  const { orderId, requestId, actor, command, forVersion = null } = signed;
  // The workflow adds `found` itself. On its way, JSON drops undefined values.
  const fields = Object.entries(command)
    .filter(([name, value]) => name !== 'found' && value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const text = JSON.stringify(['corridor command', orderId, requestId, actor, at, fields, forVersion]);
  return createHmac('sha256', secret).update(text).digest();
}
