import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { find } from './find.ts';
import { searchQuery, searchResponse } from './schemas.ts';

/** Admins find what somebody asks about from whatever that person names. */
export const searchRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/admin/search',
    auth: 'admin',
    summary: 'Find an order, key, LP, user, admin or transfer by an id, a hash or a name',
    answers: { 200: searchResponse },
    refuses: [],
    query: searchQuery,
    handle: async ({ query }) => ({ status: 200, body: { results: await find(db, query.q) } }),
  }),
];
