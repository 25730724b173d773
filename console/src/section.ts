import type { ComponentType } from 'preact';
import type { Place } from './route.ts';

/** A page of the console, with its place in the navigation. */
export interface Section {
  /** First part of its address: `orders` is `#/orders`. */
  path: string;
  title: string;
  /** Given where in it somebody is: what comes behind its own part of the address, and the query. */
  view: ComponentType<{ place: Place }>;
}
