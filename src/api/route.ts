import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Answers, Auth, FileAnswer, RouteContract } from '../contract/route-contract.ts';
import type { Order } from '../db/entities/order.ts';
import type { KnownAgent, KnownLp } from '../db/queries/callers.ts';

/** Somebody that an order may belong to. */
export type Party = { kind: 'admin' } | { kind: 'agent'; agent: KnownAgent } | { kind: 'lp'; lp: KnownLp };

/** Who may call a route, and what its handler then knows of the caller. Contract: "Authentication". */
export interface Principals extends Record<Auth, unknown> {
  agent: KnownAgent;
  admin: 'admin';
  /** Bearer equal to the `lp_key` of the path, or on order routes just a bearer. */
  lp: KnownLp;
  none: null;
  /** Null without a key, or with one that nobody has. */
  any: Party | null;
}

/**
 * What a path names: with `:orderId` or `:order_id` in it the handler is given that order, read together with the
 * caller's key. One that is not there, or is another agent's where agents call, is refused before (404).
 */
export type OrderOf<Path extends string> = string extends Path
  ? Order | undefined
  : Path extends `${string}/:orderId${string}` | `${string}/:order_id${string}`
    ? Order
    : undefined;

export interface RouteRequest<A extends Auth, Body, Query = unknown, Path extends string = string> {
  principal: Principals[A];
  order: OrderOf<Path>;
  params: Record<string, string>;
  query: Query;
  body: Body;
  headers: IncomingHttpHeaders;
  /** The request itself, for a route that reads its body as it comes in. */
  incoming: IncomingMessage;
  log: Logger;
}

/** A file as an answer; saved, never shown, by a browser. */
export interface FileReply {
  content: Readable;
  /** Media type. */
  type: string;
  /** Bytes. */
  size: number;
  /** The name it is saved under: letters, digits, `-` and `.`. */
  name: string;
}

/** A text as an answer. */
export interface TextReply {
  content: string;
  /** Media type, with its parameters. */
  type: string;
}

type Reply<Status, Shape> = Shape extends z.ZodType
  ? { status: Status; body: z.output<Shape> }
  : Shape extends FileAnswer
    ? { status: Status; file: FileReply }
    : { status: Status; text: TextReply };
type ReplyOf<A extends Answers> = { [Status in keyof A]: Reply<Status, A[Status]> }[keyof A];

/** One route: its contract, and what it does. */
export interface Route<
  A extends Auth = Auth,
  Body = unknown,
  Query = unknown,
  As extends Answers = Answers,
  Path extends string = string,
> extends RouteContract {
  path: Path;
  auth: A;
  answers: As;
  body?: z.ZodType<Body>;
  query?: z.ZodType<Query>;
  handle: (request: RouteRequest<A, Body, Query, Path>) => Promise<ReplyOf<As>>;
}

/** Lets TypeScript infer a route's principal, order, body and answers, and hold its handler to them. */
export const route = <A extends Auth, Body, Query, const As extends Answers, const Path extends string>(
  declaration: Route<A, Body, Query, As, Path>,
): Route => declaration as unknown as Route;
