import { signal } from '@preact/signals';
import type { SignInMethods } from '../../src/api/resources/console-sessions/schemas.ts';
import type { Chain } from '../../src/domain/assets.ts';
import { call } from './api.ts';

/**
 * What the service says of itself before anyone signs in. Null until it has, so pages do without it. During an update,
 * a process of the previous release may answer, which lacks the newest fields.
 */
export const installation = signal<Partial<SignInMethods> | null>(null);

/** Asks the service, unless it has answered before: its settings change only with a restart. */
export async function loadInstallation(): Promise<void> {
  if (installation.peek()) return;
  // A failure shows at the top of the page, and the next sign-in page asks again.
  installation.value = await call<SignInMethods>('GET', '/api/console/sign-in-methods').catch(() => null);
}

/** The page of the chain's explorer for a transaction or an address. Null: the operator has named no explorer. */
export function explorerLink(chain: Chain, kind: 'tx' | 'address', value: string): string | null {
  const url = installation.value?.explorers?.[chain]?.[kind];
  return url ? url.replace(`{${kind}}`, encodeURIComponent(value)) : null;
}
