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
const headersOf = (secret: string, body = BODY) => signatureHeaders(secret, { deliveryId: 7, body, at: AT });
const plainOf = (secret: string) => ({ 'X-Service-Signature': headersOf(secret)['x-service-signature'] });

describe('a webhook that the service has signed', () => {
  test.each([
    ['with a secret of any form', SECRET],
    ['with a Standard Webhooks key', STANDARD],
  ])('%s verifies, by either signature, from bytes or text', (_, secret) => {
    for (const headers of [headersOf(secret), new Headers(headersOf(secret)), plainOf(secret)])
      for (const body of [BODY, Buffer.from(BODY), new Uint8Array(Buffer.from(BODY))])
        expect(verifyWebhook({ secret, body, headers, now: AT })).toEqual(EVENT);
  });

  test('verifies by any of several signatures, while a secret is changed', () => {
    const headers = headersOf(SECRET);
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

  test('verifies with any of several secrets, by either signature, and with none that is not among them', () => {
    for (const headers of [headersOf(SECRET), plainOf(SECRET)]) {
      const options = { body: BODY, headers, now: AT };
      for (const secret of [
        ['another', SECRET],
        [SECRET, 'another'],
        [SECRET, undefined],
        ['', SECRET],
      ])
        expect(verifyWebhook({ ...options, secret })).toEqual(EVENT);
      expect(() => verifyWebhook({ ...options, secret: ['another', 'and another'] })).toThrow(
        /is it the secret of this installation/,
      );
    }
  });

  test.each([-300, 300])('verifies %d s away from now, and no second more', (seconds) => {
    const at = (offset: number) => new Date(AT.getTime() + offset * 1_000);
    const options = { secret: SECRET, body: BODY, headers: headersOf(SECRET) };
    expect(verifyWebhook({ ...options, now: at(seconds) })).toEqual(EVENT);
    expect(() => verifyWebhook({ ...options, now: at(seconds + Math.sign(seconds)) })).toThrow(
      /recorded and sent again/,
    );
  });
});

describe('a mistake is named', () => {
  const good = { secret: SECRET, body: BODY, headers: headersOf(SECRET), now: AT };
  test.each([
    ['body_already_parsed', { body: EVENT as unknown as string }],
    ['signature_missing', { headers: { 'content-type': 'application/json' } }],
    ['signature_of_another_form', { headers: { ...good.headers, 'webhook-signature': 'v2,abc' } }],
    [
      'signature_of_another_form',
      { headers: { 'x-service-signature': Buffer.from('x'.repeat(32)).toString('base64') } },
    ],
    ['wrong_secret_or_changed_body', { secret: `${SECRET}!` }],
    ['wrong_secret_or_changed_body', { secret: `${SECRET}!`, headers: plainOf(SECRET) }],
    ['wrong_secret_or_changed_body', { body: JSON.stringify(EVENT, null, 1) }],
    ['wrong_secret_or_changed_body', { body: Buffer.from(BODY, 'utf16le') }],
    ['body_in_another_encoding', { body: Buffer.from(BODY, 'latin1') }],
    ['body_in_another_encoding', { body: Buffer.from(BODY).toString('latin1') }],
    ['body_in_another_encoding', { body: Buffer.from(BODY, 'latin1'), headers: plainOf(SECRET) }],
    ['secret_missing', { secret: '' }],
    ['secret_missing', { secret: undefined }],
    ['secret_missing', { secret: [] }],
    ['secret_missing', { secret: ['', undefined] }],
    ['wrong_secret_or_changed_body', { headers: { ...good.headers, 'webhook-timestamp': '1772356801' } }],
    ['timestamp_out_of_window', { now: new Date(AT.getTime() + 3_600_000) }],
    ['body_is_no_event', { body: '[]', headers: headersOf(SECRET, '[]') }],
    ['body_is_no_event', { body: 'no json', headers: headersOf(SECRET, 'no json') }],
  ])('%s', (mistake, changes) => {
    const call = () => verifyWebhook({ ...good, ...changes });
    expect(call).toThrow(WebhookError);
    expect(call).toThrow(expect.objectContaining({ mistake }));
  });
});
