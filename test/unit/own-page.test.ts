import { expect, test } from '@jest/globals';
import { cookieIn } from '../../src/http/cookies.ts';
import { isFromOwnPage, isHttps } from '../../src/http/own-page.ts';

const PLAIN = { publicUrl: 'http://127.0.0.1:8080', trustProxyHops: 0 };
const PUBLIC = { publicUrl: 'https://pay.example', trustProxyHops: 1 };

test.each([
  [PLAIN, {}, false],
  // Without a trusted proxy the caller has written the header.
  [PLAIN, { 'x-forwarded-proto': 'https' }, false],
  [{ ...PLAIN, trustProxyHops: 1 }, { 'x-forwarded-proto': 'https' }, true],
  [{ ...PLAIN, trustProxyHops: 1 }, { 'x-forwarded-proto': 'https, http' }, false],
  [PUBLIC, {}, true],
])('%j with %j is reached over https: %s', (settings, headers, expected) => {
  expect(isHttps({ headers }, settings)).toBe(expected);
});

test.each([
  ['a program', PLAIN, {}, true],
  ['the address of the settings', PUBLIC, { origin: 'https://pay.example', host: 'api:8080' }, true],
  ['the host of the request', PLAIN, { origin: 'http://localhost:8080', host: 'localhost:8080' }, true],
  ['an address bar', PUBLIC, { 'sec-fetch-site': 'none' }, true],
  ['another host', PUBLIC, { origin: 'https://evil.example', host: 'pay.example' }, false],
  ['another port', PLAIN, { origin: 'http://localhost:8081', host: 'localhost:8080' }, false],
  ['a page over http', PUBLIC, { origin: 'http://pay.example', host: 'pay.example' }, false],
  ['no origin', PUBLIC, { origin: 'null', host: 'pay.example' }, false],
  ['a sister host', PUBLIC, { 'sec-fetch-site': 'same-site' }, false],
  [
    'a browser that contradicts the origin',
    PUBLIC,
    { origin: 'https://pay.example', 'sec-fetch-site': 'cross-site' },
    false,
  ],
])('a request of %s is one of our own pages: see the table', (_, settings, headers, expected) => {
  expect(isFromOwnPage({ headers }, settings)).toBe(expected);
});

test.each([
  ['a=1', '1'],
  ['b=2; a=1', '1'],
  ['aa=2; a=1=', '1='],
  ['a=1; a=2', undefined],
  ['aa=1', undefined],
  [undefined, undefined],
])('the cookie a of %j is %j', (cookie, expected) => {
  expect(cookieIn({ headers: cookie === undefined ? {} : { cookie } }, 'a')).toBe(expected);
});
