import type { IncomingMessage } from 'node:http';
import type { Database } from '../../db/orm.ts';
import { type FindSession, sessionToken } from '../../http/access/console-session.ts';
import type { LpAccess } from '../../http/access/ended-access.ts';
import { findLpIdByKey } from '../../http/access/find-caller.ts';
import { hashKey } from '../../http/access/keys.ts';
import { bearerToken } from '../../http/bearer-token.ts';
import { isFromOwnPage, type PublicSettings } from '../../http/own-page.ts';

/**
 * Finds the LP by its key, in the header or in the query, or by its session of the console. Browsers let any page open a
 * socket and add the cookie, so a session counts only if the request names a page of this service as its origin.
 */
export async function callingLp(
  db: Database,
  request: IncomingMessage,
  keyInQuery: string | null,
  settings: PublicSettings,
  findSession: FindSession,
): Promise<LpAccess | null> {
  const key = bearerToken(request.headers.authorization) ?? keyInQuery;
  if (key !== null) return callerWith(db, hashKey(key), null);
  const token = sessionToken(request, settings);
  if (token === undefined || request.headers.origin === undefined || !isFromOwnPage(request, settings))
    return null;
  const session = await findSession(token, true);
  if (session?.kind !== 'lp' || !session.keyHash) return null;
  return callerWith(db, session.keyHash, session.sessionId);
}

async function callerWith(db: Database, keyHash: Buffer, sessionId: number | null): Promise<LpAccess | null> {
  const lpId = await findLpIdByKey(db, keyHash);
  return lpId === undefined ? null : { lpId, keyHash, sessionId };
}
