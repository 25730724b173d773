import type { Ending } from '../../demo/ending.ts';
import type { BenchServers } from '../servers.ts';

/** How much of each is done in a round. */
export interface PartSize {
  /** Orders through each statement, on each side. */
  statements: number;
  /** Of 64 claims at once, on each side. */
  waves: number;
  /** Orders of a slice with the feed, and of one without; there are four slices. */
  feedOrders: number;
  /** Seconds of events at an even pace. */
  deliverySeconds: number;
  /** Orders whose histories are read. */
  histories: number;
  /** Orders that live at the same time. */
  liveOrders: number;
}

// biome-ignore format: a table, one line for each
export const PART_SIZES = {
  whole: { statements: 4_000, waves: 20, feedOrders: 1_000, deliverySeconds: 10, histories: 20, liveOrders: 10_000 },
  quick: { statements: 320, waves: 4, feedOrders: 96, deliverySeconds: 1, histories: 5, liveOrders: 160 },
} as const satisfies Record<string, PartSize>;

/** What a part is measured with. */
export interface Surroundings {
  servers: BenchServers;
  /** Told at once of what is started, for an end that comes in the middle. */
  ending: Ending;
  size: PartSize;
  /** From 0. Two sides that are measured one after the other take turns by it. */
  round: number;
}

/** `all` in this round's order: each second round begins at the other end. */
export const inTurn = <T>(all: readonly T[], round: number): T[] =>
  round % 2 === 0 ? [...all] : [...all].reverse();
