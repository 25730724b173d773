import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { AgentKey } from '../db/entities/agent-key.ts';
import type { Lp } from '../db/entities/lp.ts';

/** Who may call a route, and what its handler then knows of the caller. Contract: "Authentication". */
export interface Principals {
  agent: AgentKey;
  admin: 'admin';
  /** Bearer equal to the `lp_key` of the path, or on order routes just a bearer. */
  lp: Lp;
  none: null;
}
export type Auth = keyof Principals;

export interface RouteRequest<A extends Auth, Body> {
  principal: Principals[A];
  params: Record<string, string>;
  body: Body;
  headers: IncomingHttpHeaders;
  clientIp: string;
  log: Logger;
}

export interface Reply {
  status: number;
  body: object;
}

/** One route of the contract: how it is reached, by whom, with what, and what it does. */
export interface Route<A extends Auth = Auth, Body = unknown> {
  method: 'get' | 'post' | 'delete';
  path: string;
  auth: A;
  /** Runs before authentication: a limit that holds for anybody. */
  limit?: (clientIp: string) => Promise<void>;
  body?: z.ZodType<Body>;
  handle: (request: RouteRequest<A, Body>) => Promise<Reply>;
}

/** Lets TypeScript infer a route's principal and body from its declaration. */
export const route = <A extends Auth, Body>(declaration: Route<A, Body>): Route =>
  declaration as unknown as Route;
