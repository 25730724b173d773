import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/settings/config.ts';

const COMPLETE = {
  OIDC_ISSUER: 'https://login.example/realm',
  OIDC_CLIENT_ID: 'corridor',
  OIDC_CLIENT_SECRET: 'a-secret-of-the-client',
  OIDC_ROLES: 'leads = owner, cn=night,ou=shift=support'.replace(',ou', ' ou'),
};

test('an identity provider has roles for groups, also for groups with an equals sign', () => {
  const { oidc } = loadConfig(COMPLETE);
  expect(oidc).toMatchObject({
    issuer: COMPLETE.OIDC_ISSUER,
    groupsClaim: 'groups',
    scope: 'openid profile',
  });
  expect([...(oidc?.groupRoles ?? [])]).toEqual([
    ['leads', 'owner'],
    ['cn=night ou=shift', 'support'],
  ]);
  expect(loadConfig({}).oidc).toBeUndefined();
});

test.each([
  [{ OIDC_CLIENT_SECRET: '' }, 'need OIDC_CLIENT_SECRET too'],
  [{ OIDC_ISSUER: '', OIDC_ROLES: '' }, 'need OIDC_ISSUER, OIDC_ROLES too'],
  [{ OIDC_ISSUER: 'login.example' }, 'OIDC_ISSUER must be an http(s) address'],
  [{ OIDC_ROLES: 'leads' }, '"leads" is not'],
  [{ OIDC_ROLES: 'leads=boss' }, '"leads=boss" is not'],
  [{ OIDC_ROLES: '=owner' }, '"=owner" is not'],
  [{ OIDC_ROLES: 'leads=owner,leads=viewer' }, '"leads=viewer" is not'],
  [{ OIDC_SCOPE: 'profile' }, 'OIDC_SCOPE must contain openid'],
  [
    { NODE_ENV: 'production', OIDC_ISSUER: 'http://login.example' },
    'OIDC_ISSUER must be https in production',
  ],
])('%j is refused: %s', (changes, message) => {
  expect(() => loadConfig({ ...COMPLETE, ...changes })).toThrow(message);
});
