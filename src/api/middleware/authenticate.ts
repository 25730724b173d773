import type { Context } from 'koa';
import type { Auth } from '../../contract/route-contract.ts';
import type { AgentKey } from '../../db/entities/agent-key.ts';
import { Lp } from '../../db/entities/lp.ts';
import type { Database } from '../../db/orm.ts';
import { findAgentByKey } from '../../db/queries/agent-keys.ts';
import { DomainError } from '../../domain/errors.ts';
import { hashKey, sameSecret } from '../../keys.ts';
import type { ApiDeps } from '../deps.ts';
import type { Party, Principals } from '../route.ts';

/** Keys are looked up by their hash, so the comparison that decides happens on random data. */
export async function authenticate(
  ctx: Context,
  auth: Auth,
  { db, settings }: ApiDeps,
): Promise<Principals[Auth]> {
  const token = bearer(ctx.get('authorization'));
  switch (auth) {
    case 'none':
      return null;
    case 'any':
      return token ? partyWith(db, token, settings.adminApiKey) : null;
    case 'admin':
      if (!token || !sameSecret(token, settings.adminApiKey)) throw new DomainError('admin_key_invalid');
      return 'admin';
    case 'agent': {
      if (!token) throw new DomainError('agent_key_required');
      const agent = await findAgentByKey(db, token);
      if (!agent) throw new DomainError('agent_key_invalid');
      await noteUse(db, agent);
      return agent;
    }
    case 'lp': {
      const pathKey: string | undefined = ctx.params.lp_key;
      if (!token || (pathKey !== undefined && !sameSecret(token, pathKey)))
        throw new DomainError('lp_unauthorized');
      const lp = await db.em().findOne(Lp, { key_hash: hashKey(token) });
      if (!lp) throw new DomainError('lp_unauthorized');
      return lp;
    }
  }
}

async function partyWith(db: Database, token: string, adminApiKey: string): Promise<Party | null> {
  if (sameSecret(token, adminApiKey)) return { kind: 'admin' };
  const agent = await findAgentByKey(db, token);
  if (agent) return { kind: 'agent', agent };
  const lp = await db.em().findOne(Lp, { key_hash: hashKey(token) });
  return lp && { kind: 'lp', lp };
}

/** The token of an `Authorization: Bearer` header. */
export const bearer = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

const NOTE_USE = `
  update agent_key set last_used_at = now()
  where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`;

/** Kept to the minute, so that a busy key does not cost a write for each request. */
async function noteUse(db: Database, { id, last_used_at }: AgentKey): Promise<void> {
  if (last_used_at && Date.now() - last_used_at.getTime() < 60_000) return;
  await db.query('agent-note-use', NOTE_USE, [id]);
}
