import { z } from 'zod';
import { idInQuery, nextCursor, pageLimit } from '../../schemas/pages.ts';
import { instant } from '../../schemas/request-fields.ts';
import { id, time } from '../../schemas/response-fields.ts';

const text = (max: number) => z.string().min(1).max(max);

/** Writes the kind in lower case, as the audit does: `LP:7` is `lp:7`. */
const lowerKind = (given: string): string =>
  given.trim().replace(/^[A-Za-z_]+/, (kind) => kind.toLowerCase());
const ACTOR = /^(admin:root|(admin|agent|lp):\d+|database:.+|oidc|service|stranger)$/;
const OBJECT = /^([a-z_]+:.+|retention)$/;
const USE_SEARCH = 'The search finds the id of a name';

/** `GET /api/admin/audit`. */
export const auditQuery = z.object({
  actor: text(64)
    .overwrite(lowerKind)
    .refine(
      (given) => ACTOR.test(given),
      `must be a kind and an id, such as admin:3, admin:root or lp:7. ${USE_SEARCH}`,
    )
    .optional()
    .describe(
      'Only events of this actor, such as `admin:3`, `admin:root` or `lp:7`; 1 to 64 characters. Default: all actors.',
    ),
  action: text(100)
    .optional()
    .describe(
      'Only events of this action, such as `POST /api/admin/lps/:id/approve`; 1 to 100 characters. Default: all actions.',
    ),
  object: text(100)
    .overwrite(lowerKind)
    .refine(
      (given) => OBJECT.test(given),
      `must be a kind and an id, such as lp:7, agent_key:3 or order:42. ${USE_SEARCH}`,
    )
    .optional()
    .describe(
      'Only events about this object, such as `lp:7` or `order:42`; 1 to 100 characters. Default: all objects.',
    ),
  request_id: text(200)
    .optional()
    .describe(
      'Only events of the request with this `X-Request-Id`; 1 to 200 characters. Default: all requests.',
    ),
  since: instant.optional().describe(`${instant.description} Only events from then on. Default: all.`),
  until: instant.optional().describe(`${instant.description} Only events before then. Default: all.`),
  cursor: idInQuery
    .optional()
    .describe('The `next_cursor` of the previous page, a positive whole number. Default: the first page.'),
  limit: pageLimit,
});
export type AuditQuery = z.output<typeof auditQuery>;

const fields = z.record(z.string(), z.unknown());

const auditEvent = z.strictObject({
  id,
  at: time,
  actor: z
    .string()
    .describe(
      '`admin:3`, `admin:root`, `lp:7`, `stranger`, `service`, or `database:<user>` for SQL by hand.',
    ),
  actor_name: z.string().nullable(),
  role: z.string().nullable(),
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  action: z.string(),
  object: z.string().describe('Such as `lp:7`; empty if the attempt names none.'),
  result: z.string().describe('`done`, or the error code of the refusal.'),
  before: fields.nullable().describe('The changed fields, without secrets.'),
  after: fields.nullable(),
  reason: z.string().nullable(),
  hash: z.string().describe('SHA-256 of the event and of the hash before it, in hexadecimal.'),
});
export type ListedAuditEvent = z.output<typeof auditEvent>;

export const auditPage = z.strictObject({ events: z.array(auditEvent), next_cursor: nextCursor });
