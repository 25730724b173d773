import type { IncomingMessage } from 'node:http';

/**
 * The value of a cookie. Undefined: there is none, or there are several with this name. Another host of the same domain can
 * add one, and the header does not show which of two is ours.
 */
export function cookieIn({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const values = String(headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

export interface CookieOptions {
  /** Seconds; 0 removes the cookie. */
  maxAge: number;
  /** The browser sends it over https only. */
  secure: boolean;
  /** `Strict`: with requests of our own pages only. `Lax`: also when the user follows a link to us. */
  sameSite: 'Strict' | 'Lax';
  /** The browser sends it with paths below this one. */
  path: string;
}

/** A `Set-Cookie` header. No script can read the cookie. */
export const setCookie = (
  name: string,
  value: string,
  { maxAge, secure, sameSite, path }: CookieOptions,
): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;
