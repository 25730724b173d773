import type { z } from 'zod';
import type { AgentScope } from '../domain/agent-scopes.ts';
import type { Permission } from '../domain/permissions.ts';
import type { ErrorCode } from '../http/errors.ts';

/**
 * Kinds of callers. `any`: no key is needed, but a valid one of any kind identifies the caller. `known`: a valid key of any
 * kind is needed. A session of the console counts as the key that opened it. Contract: "Authentication".
 */
export type Auth = 'agent' | 'admin' | 'lp' | 'none' | 'any' | 'known';

/** The rows that the pipeline can load for a handler. */
export type Loadable = 'order' | undefined;

/** Bytes of one of these media types, instead of JSON. */
export interface FileAnswer {
  readonly mediaTypes: readonly string[];
}

/** Text of this media type, which a browser displays instead of saving it. */
export interface TextAnswer {
  readonly textType: string;
}

/** The shapes of a route's successful responses, by status. */
export type Answers = Record<number, z.ZodType | FileAnswer | TextAnswer>;

/** How many requests a route takes within a window. */
export interface RouteLimit {
  /** Names the window; routes with the same name share it. */
  name: string;
  /** 0: no limit. */
  max: number;
  /** Default: 60. */
  windowSeconds?: number;
  /** Of a key: counts each client address of the key by itself. */
  perAddress?: true;
}

/** The public part of a route. Validation, types and the OpenAPI document derive from it. */
export interface RouteContract {
  method: 'get' | 'post' | 'delete';
  /** With parameters in the router's form: `/api/v1/status/:orderId`. */
  path: string;
  auth: Auth;
  /**
   * `order`: the pipeline loads the order that the path names by `orderId`, `order_id` or `id`, and refuses an unknown one
   * with 404. For `auth: 'agent'`, another agent's order counts as unknown.
   */
  loads?: Loadable;
  /** What an admin must be allowed to do. `read`, if a route for admins that only reads does not say. */
  permission?: Permission;
  /**
   * What an agent's key must be allowed to do. `read`, if a route for agents that only reads does not say. Null: every key
   * may call the route.
   */
  scope?: AgentScope | null;
  /** One line, in the imperative. */
  summary: string;
  description?: string;
  /** Request headers that the route reads, by name. */
  headers?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The fields of a multipart/form-data body, for a route that takes a form instead of JSON. Its handler reads the form. */
  form?: z.ZodObject;
  answers: Answers;
  /** The status of a repeated response, for a route whose calls may be repeated. The response has `Idempotent-Replayed`. */
  replays?: number;
  /** A limit for each client address. The pipeline counts it before everything else. */
  clientLimit?: RouteLimit;
  /** A limit for each key. The pipeline counts it after authentication. */
  keyLimit?: RouteLimit;
  /** Present on a route whose requests may need a second admin: see `Route`. */
  approval?: object;
  /** The route's own error codes, besides those that its auth, body and query imply. */
  refuses: readonly ErrorCode[];
  /** Anybody creates rows with it: pages of other sites may not, and each client address has a limit per hour. */
  strangersCreate?: true;
  /** A command: those of one agent or LP are carried out a few at a time, and the others wait. See `createKeyTurns`. */
  inTurn?: true;
  /** One computation serves all callers, so their number costs the database nothing. */
  isShared?: true;
  /** Who checks the health of a process must get an answer, so the route has no limit for callers without a key. */
  isHealthCheck?: true;
  /** The route needs neither the database nor Temporal, so it is never unavailable. */
  standsAlone?: true;
}
