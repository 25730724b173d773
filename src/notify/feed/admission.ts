import type { IncomingMessage } from 'node:http';
import type { Database } from '../../db/orm.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { type FeedPosition, parseCursor } from '../../domain/feed-cursor.ts';
import { noteFailure, refuseBlockedAddress } from '../../http/access/auth-failures.ts';
import { type FindSession, type SessionLimits, sessionToken } from '../../http/access/console-session.ts';
import type { LpAccess } from '../../http/access/ended-access.ts';
import { clientAddress } from '../../http/client-address.ts';
import { HttpError } from '../../http/errors.ts';
import { isFromForeignPage, type PageSettings } from '../../http/own-page.ts';
import { callingLp } from './socket-caller.ts';
import { takeSlot } from './socket-slots.ts';

export const FEED_PATH = '/ws/orders';

export interface AdmissionDeps {
  db: Database;
  /** Connections per LP, across all processes. */
  maxConnections: number;
  /** Wrong keys per minute and client address; 0: no limit. The HTTP routes count in the same window. Sessions do not count here. */
  authFailureLimit: number;
  /**
   * How clients reach this service, how long sessions of the console last, and how many requests an address may send without a
   * key.
   */
  settings: PageSettings & { session: SessionLimits; limits: { public: number } };
  findSession: FindSession;
  /** Counts a request with an invented session against the limit of the address, and refuses it above the limit. */
  countStranger: (address: string) => void;
}

/** An LP that may open a socket, and what it wants to receive. */
export interface Admission extends LpAccess {
  /** Its slot, which must be released. */
  holder: string;
  currencies: string[];
  cursor: FeedPosition | undefined;
}

/**
 * Admits an upgrade request, and takes a slot for it. Throws a refusal. `noteCaller` receives the LP as soon as it is known, such as
 * `lp:7`. Contract: "WebSocket".
 */
export async function admit(
  request: IncomingMessage,
  { db, authFailureLimit, maxConnections, settings, findSession, countStranger }: AdmissionDeps,
  noteCaller: (caller: string) => void,
): Promise<Admission> {
  // With a base URL, `//` in the path parses as a host; `URL.parse` then returns null instead of throwing.
  const url = URL.parse(request.url ?? '/', 'http://corridor');
  if (url?.pathname !== FEED_PATH) throw new DomainError('not_found');
  // Before anything counts: any page can make a browser open sockets, and would lock the browser's user out.
  if (isFromForeignPage(request, settings)) throw new HttpError('origin_refused');
  const key = url.searchParams.get('lp_key');
  const presentsKey = key !== null || request.headers.authorization !== undefined;
  // Before the first statement: strangers must not take connections of the database from others.
  if (!presentsKey && sessionToken(request, settings) === undefined) throw new DomainError('lp_unauthorized');
  const address = clientAddress(request, settings.trustProxyHops);
  if (presentsKey) await refuseBlockedAddress(db, address, authFailureLimit);
  const caller = await callingLp(db, request, key, settings, findSession);
  if (!caller) {
    if (presentsKey) await noteFailure(db, address, authFailureLimit);
    else countStranger(address);
    throw new DomainError('lp_unauthorized');
  }
  noteCaller(`lp:${caller.lpId}`);
  const given = url.searchParams.get('cursor');
  const cursor = given === null ? undefined : parseCursor(given);
  if (given !== null && !cursor) {
    throw invalidField('cursor', 'must be a cursor from this feed');
  }
  const named = (url.searchParams.get('currencies') ?? '').toUpperCase().split(',');
  const currencies = named.map((text) => text.trim()).filter(Boolean);
  if (currencies.some((code) => !/^[A-Z]{3}$/.test(code)))
    throw invalidField('currencies', 'must be currency codes of three letters, separated by commas');
  const holder = await takeSlot(db, caller.lpId, maxConnections);
  if (!holder) throw new HttpError('too_many_connections');
  return { ...caller, holder, currencies, cursor };
}
