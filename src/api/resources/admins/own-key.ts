import { DomainError } from '../../../domain/errors.ts';
import { mayDo, PERMISSIONS, type Permission } from '../../../domain/permissions.ts';
import { hashKey, newAdminKey, SHOWN_ONCE } from '../../../http/access/keys.ts';
import { rotateOwnSecret } from '../../../http/access/rotate-secret.ts';
import { bearerToken } from '../../../http/bearer-token.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { rotateAdminResponse, rotateOwnRequest, whoamiResponse } from './schemas.ts';

/** What each admin may do with the key of their own, whatever the role. */
export const ownAdminKeyRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/whoami',
    auth: 'admin',
    summary: 'Show whose key this is, and what it allows',
    answers: { 200: whoamiResponse },
    refuses: [],
    handle: async ({ principal: { id, name, role } }) => {
      const permissions = (Object.keys(PERMISSIONS) as Permission[]).filter((one) => mayDo(role, one));
      return { status: 200, body: { id, name, role, permissions } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/whoami/rotate',
    auth: 'admin',
    permission: 'read',
    summary: 'Rotate your own key',
    description:
      'If another person may know your key. Call it with the key itself. Without a response, an owner rotates it.',
    answers: { 201: rotateAdminResponse },
    refuses: ['not_own_key'],
    body: rotateOwnRequest,
    handle: async ({ principal: { id, name, role }, session, headers, body }) => {
      if (id === null) throw new DomainError('not_own_key', IS_SETTING);
      const presented = bearerToken(headers.authorization);
      // A session may be left open on a desk, and belong to an admin of the identity provider, who has no key.
      if (session || presented === undefined) throw new DomainError('not_own_key', IS_SESSION);
      const api_key = newAdminKey();
      const old_key_expires_at = await rotateOwnSecret(db, id, {
        ...{ presented: hashKey(presented), next: hashKey(api_key), overlapMs: body.overlap },
      });
      if (!old_key_expires_at) throw new DomainError('not_own_key', IS_REPLACED);
      return { status: 201, body: { id, name, role, api_key, warning: SHOWN_ONCE, old_key_expires_at } };
    },
  }),
];

const IS_SETTING = 'The root key belongs to nobody: change ADMIN_API_KEY instead';
const IS_SESSION = 'A session has no key to rotate: send this request with your key';
const IS_REPLACED = 'This key was replaced: rotate the new one, or ask an owner to rotate it';
