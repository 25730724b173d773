import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  ACTIONS,
  actionWords,
  actorText,
  eventWords,
  objectWords,
  TABLES,
} from '../../console/src/admin/audit-words.ts';
import { REQUESTS, requestWords } from '../../console/src/admin/proposal-words.ts';

/** The console's words for the audit. The document of the API names its routes. */

/** The actions of agents and of LPs on orders are no events of the audit: the order's own events are. */
const isAudited = (path: string) => /^\/(api\/(admin|lp|console)|sandbox\/orders)\//.test(path);

type Responses = Record<string, { description?: string }>;
const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { responses?: Responses }>>;
};
const actionName = (method: string, path: string) =>
  `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;

test('every action of a route has words, and no other', () => {
  const actions = Object.entries(paths)
    .filter(([path]) => isAudited(path))
    .flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'get' && method !== 'parameters')
        .map((method) => actionName(method, path)),
    );
  expect(Object.keys(ACTIONS).sort()).toEqual([...actions, 'GET /auth/oidc/callback'].sort());
});

test('every request that needs a second admin has words, and no other', () => {
  const isKept = (responses: Responses = {}) => responses[202]?.description?.includes('APPROVALS=on');
  const kept = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => isKept(responses))
      .map(([method]) => actionName(method, path)),
  );
  expect(Object.keys(REQUESTS).sort()).toEqual(kept.sort());
});

test.each([
  ['POST /api/admin/withdrawals/:id/paid', { id: '7' }, {}, /^Mark withdrawal 7 as paid$/],
  ['POST /api/admin/ledger/adjustments', {}, { amount: 2.5 }, /^Correct the books by (US)?\$2\.50$/],
  ['POST /api/admin/admins', {}, { name: 'Ben :id', role: 'risk' }, /^Add the admin Ben :id, risk$/],
  // A request of a newer release, which this page does not know.
  ['POST /api/admin/news/:id', { id: '1' }, {}, /^POST \/api\/admin\/news\/1$/],
])('the proposal of %s is in words', (action, params: Record<string, string>, body, words) => {
  expect(requestWords({ action, params, body })).toMatch(words);
});

test('every table that the audit covers has words, and no other', () => {
  const sql = readFileSync('src/db/migrations/audit.sql', 'utf8');
  const tables = [...sql.matchAll(/^create constraint trigger \w+ after .*? on (\w+) deferrable/gm)].map(
    ([, table]) => table,
  );
  // The events of orders are named as their timelines name them.
  expect(Object.keys(TABLES).sort()).toEqual(
    [...new Set(tables)].filter((table) => table !== 'order_event').sort(),
  );
});

test.each([
  ['POST /api/admin/lps/:id/approve', 'Approved an LP'],
  ['update lp_term', 'Changed the terms of an LP'],
  ['delete pause', 'Removed a pause'],
  ['freeze', 'Frozen'],
  // A route of a newer release, which this page does not know.
  ['POST /api/admin/news', 'POST /api/admin/news'],
])('the action %s is “%s”', (action, words) => {
  expect(actionWords(action)).toBe(words);
});

test.each([
  ['POST /api/admin/withdrawals/:id/paid', 'withdrawal:4', 'Marked a withdrawal as paid'],
  ['POST /api/admin/withdrawals/:id/paid', 'approval:5', 'Proposed: Marked a withdrawal as paid'],
  ['POST /api/admin/approvals/:id/approve', 'approval:5', 'Approved a proposal'],
  ['update approval', 'approval:5', 'Changed a proposal'],
  ['POST /api/console/session', null, 'Signed in to the console'],
])('%s of %s is “%s”', (action, object, words) => {
  expect(eventWords({ action, object })).toBe(words);
});

test.each([
  ['admin:3', 'Ada', 'Ada, admin 3'],
  ['admin:root', 'root', 'root'],
  ['lp:7', null, 'LP 7'],
  ['service', null, 'Corridor'],
  ['stranger', null, 'a caller without a key'],
  ['oidc', 'Ada', 'Ada, the identity provider'],
  ['database:corridor', null, 'SQL by hand as corridor'],
])('the actor %s is named', (actor, name, words) => {
  expect(actorText(actor, name)).toBe(words);
});

test.each([
  ['agent_key:3', 'agent key 3'],
  ['order:42', 'order 42'],
])('the object %s is “%s”', (object, words) => {
  expect(objectWords(object)).toBe(words);
});
