import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import type { Agent } from '../support/parties.ts';
import { RESOLVER_SECRET, startResolver } from '../support/recipient-resolver.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Resolvers that misbehave, and requests that a resolver must not answer. */

const resolver = await startResolver();
afterAll(() => resolver.close());
const env = {
  RECIPIENT_RESOLVER_URL: `${resolver.url}/whose?key=secret`,
  RECIPIENT_RESOLVER_SECRET: RESOLVER_SECRET,
};
const corridor = await useCorridor({ env });

let agent: Agent;
beforeEach(async () => {
  // Each test has the limits of its own agent.
  agent = await corridor.newAgent();
  resolver.answer({ name: 'Jane Njeri Wanjiku' });
});

const PHONE = '+254700123456';
/** The delay of a late resolver. Corridor waits three seconds. */
const TOO_LATE_MS = 6_000;
const verify = (changes: object = {}, by = agent) =>
  by.call('POST', '/api/v1/recipients/verify', {
    currency: 'KES',
    recipient: PHONE,
    name: 'Jane Njeri Wanjiku',
    ...changes,
  });
const checked = async (changes: object = {}, by = agent) => expectStatus(201, verify(changes, by));

describe('a resolver cannot make a check match', () => {
  const nothing = { result: 'unavailable', name_masked: null };

  test.each<[string, object]>([
    ['by saying so without a name', { result: 'matched', matched: true }],
    ['with an empty name', { name: '' }],
    ['with a name of invisible characters', { name: '\u200b\u2060\ufeff\u3164' }],
    ['with a name of punctuation', { name: '***' }],
    ['with a name that is not a string', { name: ['Jane Njeri Wanjiku'] }],
    ['with a name that is too long', { name: `Jane ${'Wanjiku '.repeat(50)}` }],
    ['with a list', [{ name: 'Jane Njeri Wanjiku' }]],
  ])('%s', async (_, answer) => {
    resolver.answer(answer);
    expect(await checked()).toMatchObject(nothing);
    expect(await checked({ name: '\u3164 Wanjiku' })).toMatchObject(nothing);
  });

  test('by a row without a name, which the database refuses', async () => {
    const { recipient_check_id } = await checked();
    const forged = corridor.db.pool.query(`update recipient_check set name_masked = null where id = $1`, [
      recipient_check_id,
    ]);
    await expect(forged).rejects.toMatchObject({ constraint: 'recipient_check_matched_name' });
  });

  test.each([
    [301, {}],
    [307, { location: `${resolver.url}/other` }],
    [401, {}],
    [500, {}],
    [201, {}],
    [204, {}],
  ])('with the status %i', async (status, headers) => {
    const before = resolver.questions.length;
    resolver.answer((_, response) => {
      response.writeHead(status, headers);
      response.end(status === 204 ? undefined : JSON.stringify({ name: 'Jane Njeri Wanjiku' }));
    });
    expect(await checked()).toMatchObject(nothing);
    // A redirect is not followed.
    expect(resolver.questions).toHaveLength(before + 1);
  });

  test('with truncated JSON, or a truncated response', async () => {
    resolver.answer((_, response) => void response.end('{"name": "Jane Njeri Wan'));
    expect(await checked()).toMatchObject(nothing);
    resolver.answer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"name": "Jane Njeri Wanjiku"}');
      response.destroy();
    });
    expect(await checked()).toMatchObject(nothing);
  });

  test('with a body of 32 MB before the name', async () => {
    resolver.answer((_, response) => {
      const pieces = Array.from({ length: 512 }, () => ' '.repeat(64 * 1024));
      Readable.from([...pieces, '{"name": "Jane Njeri Wanjiku"}']).pipe(response);
    });
    expect(await checked()).toMatchObject(nothing);
  });

  test('by answering too late, or by beginning an answer and ending it too late', async () => {
    resolver.answer(({ text }, response) => {
      const [begin, end] = ['{"name": "Jane Njeri', ' Wanjiku"}'];
      const isSlow = text.includes(PHONE);
      if (isSlow) response.write(begin);
      setTimeout(() => response.end(isSlow ? end : begin + end), TOO_LATE_MS).unref();
    });
    const late = [checked(), checked({ recipient: '+254700123457' })];
    expect(await Promise.all(late)).toMatchObject([nothing, nothing]);
  });
});

describe('the request to the resolver', () => {
  test('is signed, and contains only the account', async () => {
    const { recipient_check_id } = await checked({ name: 'Jane' });
    const question = resolver.questions.at(-1);
    expect(question).toMatchObject({ signed: true, path: '/whose?key=secret' });
    expect(question?.headers['webhook-id']).toBe(recipient_check_id);
    expect(JSON.parse(String(question?.text))).toEqual({
      ...{ currency: 'KES', method: 'mobile_money', institution: null, recipient: PHONE },
      recipient_details: { phone: PHONE },
    });
  });

  test('from an installation with another secret has a wrong signature', async () => {
    const secret = 'another-secret-of-some-length';
    const wrong = await startCorridor({ worker: false, env: { ...env, RECIPIENT_RESOLVER_SECRET: secret } });
    try {
      expect(await checked({}, await wrong.newAgent())).toMatchObject({ result: 'unavailable' });
      expect(resolver.questions.at(-1)?.signed).toBe(false);
    } finally {
      await wrong.stop();
    }
  });

  test('is not sent for a recipient that the corridor refuses', async () => {
    const before = resolver.questions.length;
    for (const changes of [
      { recipient: '+254' },
      { recipient: undefined },
      { method: 'pigeon' },
      { institution: 'nobank' },
      { name: '\u200b' },
      { name: '...' },
      { recipient: undefined, recipient_details: { phone: PHONE, name: 'x' } },
    ])
      expect((await verify(changes)).status).toBe(400);
    expect(resolver.questions).toHaveLength(before);
  });
});
