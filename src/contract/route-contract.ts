import type { z } from 'zod';
import type { ErrorCode } from '../domain/errors.ts';

/** Kinds of callers; `any`: whoever, and known by whatever key comes with the request. Contract: "Authentication". */
export type Auth = 'agent' | 'admin' | 'lp' | 'none' | 'any';

/** Bytes of one of these media types, rather than JSON. */
export interface FileAnswer {
  readonly mediaTypes: readonly string[];
}

/** Text of this media type, to be read and not saved. */
export interface TextAnswer {
  readonly textType: string;
}

/** The shapes a route answers with when it does what it is asked, by status. */
export type Answers = Record<number, z.ZodType | FileAnswer | TextAnswer>;

/** How often a route may be called within 60 seconds. */
export interface RouteLimit {
  /** Names the window; routes of one name share it. */
  name: string;
  /** 0: no limit. */
  max: number;
}

/** What a route is to the outside: validation, types and the OpenAPI document are all made from this. */
export interface RouteContract {
  method: 'get' | 'post' | 'delete';
  /** In the router's form: `/api/v1/status/:orderId`. */
  path: string;
  auth: Auth;
  /** One line, in the imperative. */
  summary: string;
  description?: string;
  /** Request headers with a meaning of their own, by name. */
  headers?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  /** The fields of a multipart/form-data body, where it takes one in place of JSON. Its handler reads it. */
  form?: z.ZodObject;
  answers: Answers;
  /** The status of an answer that was given before, where a call may be repeated: it says so in a header. */
  replays?: number;
  /** A limit for each client address, counted before anything else. */
  clientLimit?: RouteLimit;
  /** A limit for each key, counted when the key has been found to be good. */
  keyLimit?: RouteLimit;
  /** What it refuses besides what every route with its kind of key and body does. */
  refuses: readonly ErrorCode[];
  /** Needs neither database nor Temporal, and so is never unavailable. */
  standsAlone?: true;
}
