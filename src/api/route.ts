import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Order } from '../db/entities/order.ts';
import type { OpenSession } from '../http/access/console-session.ts';
import type { KnownAdmin } from '../http/access/find-admin.ts';
import type { KnownAgent, KnownLp } from '../http/access/find-caller.ts';
import type { Answers, Auth, FileAnswer, Loadable, RouteContract } from './route-contract.ts';

/** A caller that an order may belong to. */
export type Party =
  | { kind: 'admin'; admin: KnownAdmin }
  | { kind: 'agent'; agent: KnownAgent }
  | { kind: 'lp'; lp: KnownLp };

/** The caller that a handler receives, by the route's `auth`. Contract: "Authentication". */
export interface Principals extends Record<Auth, unknown> {
  agent: KnownAgent;
  admin: KnownAdmin;
  /** The LP whose key is the bearer token. An `lp_key` in the path equals that token. */
  lp: KnownLp;
  none: null;
  /** Null without a key, or with an unknown key. */
  any: Party | null;
  /** Whose key or session it is. */
  known: Party;
}

export interface RouteRequest<A extends Auth, Body, Query = unknown, Loads extends Loadable = Loadable> {
  principal: Principals[A];
  /** The session of the console with which the caller has called; null: with a key, or without either. */
  session: OpenSession | null;
  /** The order that the path names, for a route that declares `loads: 'order'`. */
  order: Loads extends 'order' ? Order : undefined;
  params: Record<string, string>;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  /** The raw request, for a route that reads its body as it arrives. */
  incoming: IncomingMessage;
  log: Logger;
}

/** A file as a response. Browsers save it and never display it. */
export interface FileReply {
  content: Readable;
  /** Media type. */
  type: string;
  /** Bytes; null: not known yet. */
  size: number | null;
  /** The file name for the browser: letters, digits, `-` and `.`. */
  name: string;
}

/** A text as a response. */
export interface TextReply {
  content: string;
  /** Media type, with its parameters. */
  type: string;
}

/** What every response may have. */
interface ReplyHead<Status> {
  status: Status;
  /** A `Set-Cookie` header. */
  cookie?: string;
}

export type AnyReply = ReplyHead<number> & ({ body: unknown } | { file: FileReply } | { text: TextReply });

type Reply<Status, Shape> = Shape extends z.ZodType
  ? ReplyHead<Status> & { body: z.output<Shape> }
  : Shape extends FileAnswer
    ? ReplyHead<Status> & { file: FileReply }
    : ReplyHead<Status> & { text: TextReply };
type ReplyOf<A extends Answers> = { [Status in keyof A]: Reply<Status, A[Status]> }[keyof A];

/** One route: its contract and its handler. */
export interface Route<
  A extends Auth = Auth,
  Body = unknown,
  Query = unknown,
  As extends Answers = Answers,
  Loads extends Loadable = Loadable,
> extends RouteContract {
  auth: A;
  loads?: Loads;
  answers: As;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  handle: (request: RouteRequest<A, Body, Query, Loads>) => Promise<ReplyOf<As>>;
  /**
   * For a route that needs a second admin with `APPROVALS=on`: which requests, and what the proposal shows. `preview` throws
   * what the request would be refused for; null: there is nothing to show.
   */
  approval?: {
    needed: (request: Pick<RouteRequest<A, Body, Query, Loads>, 'principal' | 'body' | 'query'>) => boolean;
    preview?: (request: RouteRequest<A, Body, Query, Loads>) => Promise<Record<string, unknown> | null>;
  };
}

/** Declares a route. TypeScript infers the principal, order, body and responses, and checks the handler against them. */
export const route = <
  A extends Auth,
  Body,
  Query,
  const As extends Answers,
  Loads extends Loadable = undefined,
>(
  declaration: Route<A, Body, Query, As, Loads>,
): Route => declaration as unknown as Route;
