import { now } from '../clock.ts';

/** Whether the key of an admin or an agent is accepted now, as a badge shows it. */
export function keyState({
  is_active,
  expires_at,
}: {
  is_active: boolean;
  expires_at: string | null;
}): string {
  if (!is_active) return 'inactive';
  return expires_at !== null && Date.parse(expires_at) <= now.value ? 'expired' : 'active';
}
