import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import {
  hashKey,
  isReceiptKey,
  newAgentKey,
  newLpKey,
  newReceiptKey,
  sameSecret,
} from '../../src/http/access/keys.ts';
import { signInWith } from '../support/console-session.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../support/corridor.ts';
import { dumpOf } from '../support/dump.ts';
import { connectFeed } from '../support/feed-client.ts';
import { useCorridor } from '../support/use-corridor.ts';

const corridor = await useCorridor({ worker: false });
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

describe('keys at rest', () => {
  test('are hashes: a dump of all tables contains no key in any notation', async () => {
    const rotation = { overlap: '1h' };
    const path = `/api/admin/agent-keys/${agent.keyId}/rotate`;
    const { api_key: newKey } = await expectStatus(201, corridor.admin('POST', path, rotation));
    await agent.newOrder();
    const feed = await connectFeed(corridor.config.publicUrl, { key: lp.key });
    await feed.next('hello');
    const root = await signInWith(corridor, ADMIN_KEY);
    const signedIn = await signInWith(corridor, lp.key);
    const dump = [...(await dumpOf(corridor.db)).values()].join('\n');
    await feed.close();
    const tokens = [root, signedIn].flatMap(({ token, csrf }) => [token, csrf]);
    for (const key of [
      agent.key,
      newKey,
      agent.webhookSecret,
      lp.key,
      ADMIN_KEY,
      WEBHOOK_SECRET,
      ...tokens,
    ]) {
      const bytes = Buffer.from(key);
      const random = key.replace(/^(rk_live_|lp_|whsec_)/, '');
      for (const form of [key, random, bytes.toString('hex'), bytes.toString('base64')])
        expect(dump.includes(form)).toBe(false);
    }
    // The dump contains the hashes of the keys, so it is complete.
    for (const key of [agent.key, newKey, lp.key])
      expect(dump).toContain(createHash('sha256').update(key).digest('hex'));
    // An operator may have made up the root key, so its hash could be guessed.
    expect(dump).not.toContain(createHash('sha256').update(ADMIN_KEY).digest('hex'));
  });

  test('cannot be used as keys', async () => {
    for (const [key, path] of [
      [agent.key, '/api/v1/orders'],
      [lp.key, `/api/lp/${hashKey(lp.key).toString('hex')}/balance`],
    ] as const) {
      const hash = hashKey(key);
      for (const form of [hash.toString('hex'), `\\x${hash.toString('hex')}`, hash.toString('base64')])
        expect([401, 403]).toContain((await corridor.as(form)('GET', path)).status);
    }
  });

  test('cannot be guessed: 192 random bits each', () => {
    for (const make of [newAgentKey, newLpKey, newReceiptKey]) {
      const keys = Array.from({ length: 2_000 }, make);
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of keys) expect(key).toMatch(/^(rk_live|lp|rcpt)_[0-9a-f]{48}$/);
      // Every digit occurs at every position, so no part of a key is fixed or a counter.
      for (let at = 1; at <= 48; at++) expect(new Set(keys.map((key) => key.at(-at))).size).toBe(16);
    }
    expect(isReceiptKey(newReceiptKey())).toBe(true);
  });
});

describe('the comparison of secrets', () => {
  test('requires the whole secret, whatever part of it is correct', () => {
    for (const [a, b] of [
      ['', 'a'],
      ['secret', 'secre'],
      ['secret', 'secretx'],
      ['secret', 'Secret'],
      ['secret', 'secret\0'],
      ['\u00e9', 'e\u0301'],
    ] as const)
      expect([a, b, sameSecret(a, b)]).toEqual([a, b, false]);
    expect(sameSecret(ADMIN_KEY, ADMIN_KEY)).toBe(true);
  });

  test('takes constant time, or uses the indexed hash, and never compares text', () => {
    const source = (name: string) => readFileSync(new URL(`../../src/${name}`, import.meta.url), 'utf8');
    expect(source('http/access/keys.ts')).toContain('timingSafeEqual(hashKey(a), hashKey(b))');
    const credentials = source('api/pipeline/credentials.ts');
    const findAdmin = source('http/access/find-admin.ts');
    const sessions = source('http/access/console-session.ts');
    for (const text of [credentials, findAdmin, sessions, source('api/pipeline/authenticate.ts')])
      expect(text).not.toMatch(/(token|[kK]ey|[pP]roof) *[!=]==(?! (undefined|null|OWN))/);
    expect(credentials.match(/sameSecret\(token, pathKey\)/g)).toHaveLength(1);
    expect(credentials.match(/hashKey\(token\)/g)).toHaveLength(1);
    expect(findAdmin.match(/sameSecret\(credential, key\)/g)).toHaveLength(1);
    expect(findAdmin).toContain('findByKey(db, hashKey(credential))');
    expect(findAdmin).toContain("'admin-find', FIND, [keyHash]");
    expect(sessions).toContain('timingSafeEqual(rootProof(token, key), keyHash)');
    expect(sessions).toContain('findRow(hashKey(token))');
    expect(sessions).toContain("'session-find', FIND, [hashes, idle]");
    expect(source('api/pipeline/session.ts')).toContain(
      "sameSecret(ctx.get('x-csrf-token'), session.csrfToken)",
    );
    expect(source('notify/feed/socket-caller.ts')).toContain('callerWith(db, hashKey(key), null)');
  });
});

describe('a rotation', () => {
  const rotate = async (keyId: number, overlap: unknown) =>
    (await expectStatus(201, corridor.admin('POST', `/api/admin/agent-keys/${keyId}/rotate`, { overlap })))
      .api_key as string;
  const opens = async (key: string) => (await corridor.as(key)('GET', '/api/v1/orders')).status === 200;

  test('without an overlap ends the old key immediately', async () => {
    const { key, keyId } = await corridor.newAgent();
    const next = await rotate(keyId, 0);
    expect([await opens(key), await opens(next)]).toEqual([false, true]);
  });

  test('keeps at most two old keys, and none after its overlap', async () => {
    const { key, keyId } = await corridor.newAgent();
    const second = await rotate(keyId, '1h');
    expect([await opens(key), await opens(second)]).toEqual([true, true]);
    const third = await rotate(keyId, '1h');
    const fourth = await rotate(keyId, '1h');
    const all = () => Promise.all([key, second, third, fourth].map(opens));
    expect(await all()).toEqual([true, false, true, true]);
    const sql = `update agent_key set previous_expires_at = now() - interval '1 second',
      older_expires_at = now() - interval '1 second' where id = $1`;
    await corridor.db.query('t-expire', sql, [keyId]);
    expect(await all()).toEqual([false, false, false, true]);
  });

  test('followed by a deactivation leaves no valid key', async () => {
    const { key, keyId } = await corridor.newAgent();
    const next = await rotate(keyId, '365d');
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${keyId}`));
    expect([await opens(key), await opens(next)]).toEqual([false, false]);
  });
});
