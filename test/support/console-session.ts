import { type Call, expectStatus } from '../../dev/http-client.ts';
import type { TestCorridor } from './corridor.ts';

/** A browser that is signed in to the console. */
export interface SignedIn {
  /** The value of the cookie. */
  token: string;
  csrf: string;
  cookie: string;
  /** Calls as a page of the console does: with the cookie, and for changes with the CSRF token. */
  call: Call;
  /** Calls with the cookie and with these headers alone. */
  bare: Call;
  /** Whether the session still identifies its owner. */
  isOpen: () => Promise<boolean>;
}

/** Signs in with a key. `headers` are those of the browser that signs in. */
export async function signInWith(
  { anyone, as, config }: Pick<TestCorridor, 'anyone' | 'as' | 'config'>,
  key: string,
  headers: Record<string, string> = {},
): Promise<SignedIn> {
  const answer = await as(key)('POST', '/api/console/session', undefined, headers);
  const { csrf_token: csrf } = await expectStatus(201, Promise.resolve(answer));
  const [cookie = ''] = String(answer.headers.get('set-cookie')).split(';');
  const bare: Call = (method, path, body, more = {}) => anyone(method, path, body, { cookie, ...more });
  const page = { 'sec-fetch-site': 'same-origin', origin: config.publicUrl, 'x-csrf-token': csrf };
  return {
    token: cookie.split('=')[1] ?? '',
    ...{ csrf, cookie, bare },
    call: (method, path, body, more = {}) => bare(method, path, body, { ...page, ...more }),
    isOpen: async () => (await bare('GET', '/api/console/session')).status === 200,
  };
}
