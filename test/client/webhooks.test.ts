import { describe, expect, test } from '@jest/globals';
import { verifyWebhook, WebhookError } from '../../client/src/index.ts';
import { signatureHeaders } from '../../src/adapters/webhook-signature.ts';

const SECRET = 'a-webhook-secret-of-some-length';
const STANDARD = `whsec_${Buffer.from('thirty two bytes of key material').toString('base64')}`;
const AT = new Date('2026-03-01T09:00:00Z');
const EVENT = {
  event: 'order.status_changed',
  order_id: 42,
  status: 'claimed',
  timestamp: '2026-03-01T09:00:00.000Z',
  data: { id: 42, recipient_name: 'Ünï' },
};
const BODY = JSON.stringify(EVENT);
const signBoth = (secret: string, body = BODY) => signatureHeaders(secret, { deliveryId: 7, body, at: AT });
const signPlain = (secret: string) => ({
  'X-Service-Signature': signBoth(secret)['x-service-signature'],
});

test('an empty key is no secret, however it is written', () => {
  const forged = signBoth('whsec_');
  for (const secret of ['', 'whsec_', undefined])
    expect(() => verifyWebhook({ secret, body: BODY, headers: forged, now: AT })).toThrow(
      expect.objectContaining({ mistake: 'secret_missing' }),
    );
});

describe('a webhook signed by the service', () => {
  test.each([
    ['with a secret of any format', SECRET],
    ['with a Standard Webhooks key', STANDARD],
  ])('%s verifies, by either signature, from bytes or text', (_, secret) => {
    for (const headers of [signBoth(secret), new Headers(signBoth(secret)), signPlain(secret)])
      for (const body of [BODY, Buffer.from(BODY), new Uint8Array(Buffer.from(BODY))])
        expect(verifyWebhook({ secret, body, headers, now: AT })).toEqual(EVENT);
  });

  test('verifies by any of several signatures, during a secret rotation', () => {
    const headers = signBoth(SECRET);
    const both = `v1,${Buffer.from('another').toString('base64')} ${headers['webhook-signature']}`;
    expect(
      verifyWebhook({
        secret: SECRET,
        body: BODY,
        headers: { ...headers, 'webhook-signature': both },
        now: AT,
      }),
    ).toEqual(EVENT);
  });

  test('verifies with any of several secrets, by either signature, and fails with other secrets', () => {
    for (const headers of [signBoth(SECRET), signPlain(SECRET)]) {
      const options = { body: BODY, headers, now: AT };
      for (const secret of [
        ['another', SECRET],
        [SECRET, 'another'],
        [SECRET, undefined],
        ['', SECRET],
      ])
        expect(verifyWebhook({ ...options, secret })).toEqual(EVENT);
      expect(() => verifyWebhook({ ...options, secret: ['another', 'and another'] })).toThrow(
        /is it your own webhook secret/,
      );
    }
  });

  test.each([-300, 300])('verifies %d s from now, but not one second more', (seconds) => {
    const at = (offset: number) => new Date(AT.getTime() + offset * 1_000);
    const options = { secret: SECRET, body: BODY, headers: signBoth(SECRET) };
    expect(verifyWebhook({ ...options, now: at(seconds) })).toEqual(EVENT);
    expect(() => verifyWebhook({ ...options, now: at(seconds + Math.sign(seconds)) })).toThrow(
      /the webhook is replayed/,
    );
  });
});

describe('a failed verification throws', () => {
  const good = { secret: SECRET, body: BODY, headers: signBoth(SECRET), now: AT };
  test.each([
    ['body_already_parsed', { body: EVENT as unknown as string }],
    ['signature_missing', { headers: { 'content-type': 'application/json' } }],
    ['signature_of_another_form', { headers: { ...good.headers, 'webhook-signature': 'v2,abc' } }],
    [
      'signature_of_another_form',
      { headers: { 'x-service-signature': Buffer.from('x'.repeat(32)).toString('base64') } },
    ],
    ['wrong_secret_or_changed_body', { secret: `${SECRET}!` }],
    ['wrong_secret_or_changed_body', { secret: `${SECRET}!`, headers: signPlain(SECRET) }],
    ['wrong_secret_or_changed_body', { body: JSON.stringify(EVENT, null, 1) }],
    ['wrong_secret_or_changed_body', { body: Buffer.from(BODY, 'utf16le') }],
    ['body_in_another_encoding', { body: Buffer.from(BODY, 'latin1') }],
    ['body_in_another_encoding', { body: Buffer.from(BODY).toString('latin1') }],
    ['body_in_another_encoding', { body: Buffer.from(BODY, 'latin1'), headers: signPlain(SECRET) }],
    ['secret_missing', { secret: '' }],
    ['secret_missing', { secret: undefined }],
    ['secret_missing', { secret: [] }],
    ['secret_missing', { secret: ['', undefined] }],
    ['wrong_secret_or_changed_body', { headers: { ...good.headers, 'webhook-timestamp': '1772356801' } }],
    ['timestamp_out_of_window', { now: new Date(AT.getTime() + 3_600_000) }],
    ['body_is_no_event', { body: '[]', headers: signBoth(SECRET, '[]') }],
    ['body_is_no_event', { body: 'no json', headers: signBoth(SECRET, 'no json') }],
  ])('%s', (mistake, changes) => {
    const call = () => verifyWebhook({ ...good, ...changes });
    expect(call).toThrow(WebhookError);
    expect(call).toThrow(expect.objectContaining({ mistake }));
  });
});
