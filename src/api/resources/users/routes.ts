import { z } from 'zod';
import { User } from '../../../db/entities/user.ts';
import type { Database } from '../../../db/orm.ts';
import { afterCursor, pageOptions } from '../../../db/pages.ts';
import { DomainError } from '../../../domain/errors.ts';
import { countUnmasked, forgetUser } from '../../../operations/retention/forget-user.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { pageOf, pageQuery } from '../../schemas/pages.ts';
import { available } from '../receipts/uploads.ts';
import { forgottenResponse, userPage, userRequest, userResponse } from './schemas.ts';

/** Admins create the users for whom agents make payments. Contract: "Users are not created by the agent API". */
export const userRoutes = ({ db, receipts }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/admin/users',
    auth: 'admin',
    permission: 'users:create',
    summary: 'Create a user for whom agents can make payments',
    answers: { 201: userResponse },
    refuses: [],
    body: userRequest,
    handle: async ({ body }) => {
      const id = await db.em().insert(User, { name: body.name ?? null });
      return { status: 201, body: { id: Number(id) } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/users/:id/forget',
    auth: 'admin',
    permission: 'users:forget',
    summary: 'Remove the personal data of a user’s ended orders now',
    description:
      'Removes recipients, names, webhook bodies and receipts for good. A repeated call continues where the last one ended.',
    answers: { 200: forgottenResponse },
    refuses: ['not_found'],
    body: z.object({}),
    approval: {
      needed: () => true,
      preview: async ({ params }) => {
        const id = await knownUser(db, idFrom(params.id));
        return { user_id: id, ...(await countUnmasked(db, id)) };
      },
    },
    handle: async ({ params }) => {
      const id = await knownUser(db, idFrom(params.id));
      const forgotten = await available(forgetUser({ db, receipts }, id));
      return { status: 200, body: { user_id: id, ...forgotten } };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/users',
    auth: 'admin',
    summary: 'List the users, newest first',
    answers: { 200: userPage },
    refuses: [],
    query: pageQuery,
    handle: async ({ query }) => {
      const rows = await db.em().find(User, afterCursor(query), pageOptions(query));
      const { page, next_cursor } = pageOf(rows, query);
      const users = page.map(({ id, name, created_at }) => ({
        id,
        name: name ?? null,
        created_at: created_at.toISOString(),
      }));
      return { status: 200, body: { users, next_cursor } };
    },
  }),
];

/** Throws `not_found`. */
async function knownUser(db: Database, id: number): Promise<number> {
  if (!(await db.em().findOne(User, { id }))) throw new DomainError('not_found');
  return id;
}
