import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from '../../src/adapters/webhook-signature.ts';

const body = '{"event":"order.status_changed","order_id":7}';
const attempt = (at = new Date()) => ({ deliveryId: 12, body, at });
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the headers of a webhook', () => {
  test.each([
    [
      'a plain secret, given to the receiver as base64',
      'a-secret-of-some-length',
      `whsec_${base64('a-secret-of-some-length')}`,
    ],
    ['a secret with an umlaut', 'ein-Schlüssel-mit-Umlaut', `whsec_${base64('ein-Schlüssel-mit-Umlaut')}`],
    ['a secret in the standard’s own form', `whsec_${base64('\u0001\u0002 any bytes at all')}`, undefined],
  ])('are verified by the standard’s own library: %s', (_what, secret, receivers = secret) => {
    const headers = signatureHeaders(secret, attempt());
    expect(new Webhook(receivers).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(receivers).verify(`${body} `, headers)).toThrow();
    expect(() => new Webhook(`whsec_${base64('another key')}`).verify(body, headers)).toThrow();
    expect(() => new Webhook(receivers).verify(body, { ...headers, 'webhook-id': 'msg_13' })).toThrow();
  });

  test('are verified with either of two secrets, while one replaces the other; the contract’s own signature with the first', () => {
    const [old, next] = ['the-secret-that-was', 'the-secret-to-come'];
    const headers = signatureHeaders(old, attempt(), [next]);
    for (const secret of [old, next])
      expect(new Webhook(base64(secret)).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(base64('neither of the two')).verify(body, headers)).toThrow();
    expect(headers['x-service-signature']).toBe(signatureHeaders(old, attempt())['x-service-signature']);
  });

  test('cover the time of the attempt, so that a replay is refused', () => {
    const hourAgo = signatureHeaders('a-secret-of-some-length', attempt(new Date(Date.now() - 3_600_000)));
    expect(() => new Webhook(base64('a-secret-of-some-length')).verify(body, hourAgo)).toThrow(/old/);
  });

  test('have a constant id and the time of the attempt', () => {
    const [first, second] = [0, 900].map((s) => signatureHeaders('secret', attempt(new Date(s * 1_000))));
    expect(first).toMatchObject({ 'webhook-id': 'msg_12', 'webhook-timestamp': '0' });
    expect(second).toMatchObject({ 'webhook-id': 'msg_12', 'webhook-timestamp': '900' });
  });

  test.each(['a-secret-of-some-length', `whsec_${base64('some bytes')}`])(
    'have the contract’s own signature over the body, keyed with the secret as written: %s',
    (secret) => {
      const expected = createHmac('sha256', secret).update(body).digest('hex');
      expect(signatureHeaders(secret, attempt())['x-service-signature']).toBe(expected);
    },
  );
});
