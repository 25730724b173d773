import type { IncomingMessage } from 'node:http';

/** How clients reach this service. */
export interface PublicSettings {
  publicUrl: string;
  trustProxyHops: number;
}

/** Whose pages may call this service: its own, and those of other origins. */
export interface PageSettings extends PublicSettings {
  corsOrigins: readonly string[];
}

type Headers = Pick<IncomingMessage, 'headers'>;

/** Whether the client reached the service over https: the settings say so, or the last trusted proxy does. */
export function isHttps({ headers }: Headers, { publicUrl, trustProxyHops }: PublicSettings): boolean {
  if (publicUrl.startsWith('https:')) return true;
  const scheme = String(headers['x-forwarded-proto'] ?? '')
    .split(',')
    .at(-1);
  return trustProxyHops > 0 && scheme?.trim() === 'https';
}

/**
 * Whether a page of this service sent the request, by the headers that a browser sets and no page can change. True also for
 * a caller that sends none of them: such a caller is no page of another site.
 */
export function isFromOwnPage(request: Headers, settings: PublicSettings): boolean {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined || origin === new URL(settings.publicUrl).origin) return true;
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  return page.host === host && (page.protocol === 'https:' || !isHttps(request, settings));
}

/**
 * Whether a page that may not call this service sent the request: a page of another site, whose origin `CORS_ORIGINS` does not
 * have. False for a caller that is no browser.
 */
export const isFromForeignPage = (request: Headers, settings: PageSettings): boolean =>
  !isFromOwnPage(request, settings) && !settings.corsOrigins.includes(request.headers.origin ?? '');
