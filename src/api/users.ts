import { userRequest, userResponse } from '../contract/admin.ts';
import { User } from '../db/entities/user.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

/** Users exist before payments are made for them. Contract: "Users are not created by the agent API". */
export const userRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/admin/users',
    auth: 'admin',
    summary: 'Create a user that payments can be made for',
    answers: { 201: userResponse },
    refuses: [],
    body: userRequest,
    handle: async ({ body }) => {
      const id = await db.em().insert(User, { name: body.name ?? null });
      return { status: 201, body: { id: Number(id) } };
    },
  }),
];
