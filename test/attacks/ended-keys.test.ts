import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { type SignedIn, signInWith } from '../support/console-session.ts';
import type { Agent } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Whose key has ended, learns which one and why, and nobody else does. */
const corridor = await useCorridor({ worker: false });
const { admin, as, db } = corridor;

const person = async (name: string): Promise<{ id: number; key: string }> => {
  const made = await expectStatus(201, admin('POST', '/api/admin/admins', { name, role: 'support' }));
  return { id: made.id, key: made.api_key };
};

describe('a session whose key has ended', () => {
  const refusal = async (session: Pick<SignedIn, 'bare'>, path = '/api/console/session', headers = {}) => {
    const { body, status, headers: answered } = await session.bare('GET', path, undefined, headers);
    return [status, answered.get('x-error-code'), body.error];
  };
  const named = async (name: string): Promise<Agent> => {
    const agent = await corridor.newAgent();
    await expectStatus(200, admin('POST', `/api/admin/agent-keys/${agent.keyId}`, { name }));
    return agent;
  };
  const invalid = (text: string) => [401, 'key_invalid', text];

  test('names the key and why it has ended', async () => {
    const agents = await Promise.all(['one', 'two', 'three'].map(named));
    const [one, two, three] = agents as [Agent, Agent, Agent];
    const [ann, ben, other] = [await person('Ann'), await person('Ben'), await corridor.newLp()];
    const signIns = [one, two, three, ann, ben, other].map(({ key }) => signInWith(corridor, key));
    const sessions = (await Promise.all(signIns)) as [
      SignedIn,
      SignedIn,
      SignedIn,
      SignedIn,
      SignedIn,
      SignedIn,
    ];
    await expectStatus(200, admin('DELETE', `/api/admin/agent-keys/${one.keyId}`));
    await db.query('t-expired', 'update agent_key set expires_at = now() where id = $1', [two.keyId]);
    const now = { overlap: 0 };
    await expectStatus(201, admin('POST', `/api/admin/agent-keys/${three.keyId}/rotate`, now));
    await expectStatus(200, admin('DELETE', `/api/admin/admins/${ann.id}`));
    await expectStatus(201, admin('POST', `/api/admin/admins/${ben.id}/rotate`, now));
    await expectStatus(201, admin('POST', `/api/admin/lps/${other.id}/rotate`, now));
    const { lp: shown } = (await admin('GET', `/api/admin/lps/${other.id}`)).body;
    const replaced = 'was replaced: sign in with the new one';
    expect(await Promise.all(sessions.map((session) => refusal(session)))).toEqual([
      invalid(`Your key ${one.keyId} “one” was deactivated`),
      invalid(`Your key ${two.keyId} “two” has expired`),
      invalid(`Your key ${three.keyId} “three” ${replaced}`),
      invalid('The key of “Ann” was deactivated'),
      invalid(`The key of “Ben” ${replaced}`),
      invalid(`The key of “${shown?.display_name ?? `LP ${other.id}`}” ${replaced}`),
    ]);
    expect(await refusal(sessions[0], '/api/v1/orders')).toEqual([
      ...[403, 'agent_key_required', `Your key ${one.keyId} “one” was deactivated`],
    ]);
  });

  test('is not named to others: without its cookie, from another site, or after the session itself has ended', async () => {
    const agent = await named('a secret name');
    const session = await signInWith(corridor, agent.key);
    await expectStatus(200, admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`));
    const site = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const stranger = { bare: corridor.anyone };
    const forged = { cookie: `corridor_session=${'0'.repeat(64)}` };
    const answers = [
      await refusal(stranger),
      await refusal(stranger, undefined, forged),
      await refusal(session, undefined, site),
      // The key alone, which anybody may have found.
      await refusal({ bare: as(agent.key) }),
    ];
    expect(answers.map(([status]) => status)).toEqual([401, 401, 401, 401]);
    await session.isOpen();
    await db.query('t-idle', `update session set last_used_at = now() - interval '30 minutes'`, []);
    answers.push(await refusal(session));
    expect(JSON.stringify(answers)).not.toMatch(/secret name|deactivated|Your key/);
  });

  test('is not confused with a session of another kind', async () => {
    const session = await signInWith(corridor, (await corridor.newLp()).key);
    for (const path of ['/api/v1/orders', '/api/admin/orders'])
      expect((await refusal(session, path))[2]).not.toMatch(/ended|replaced|deactivated/);
    expect(await session.isOpen()).toBe(true);
  });
});
