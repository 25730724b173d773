import type { Cleanup } from '../../dev/cleanup.ts';
import type { BenchServers } from '../servers.ts';

/** The amount of work in a round. */
export interface PartSize {
  /** Orders through each statement, on each side. */
  statements: number;
  /** Waves of 64 concurrent claims, on each side. */
  waves: number;
  /** Orders in each of the four batches: two with the feed, two without. */
  feedOrders: number;
  /** Seconds of events at an even pace. */
  deliverySeconds: number;
  /** Orders whose history is read. */
  histories: number;
  /** Orders that are live at the same time. */
  liveOrders: number;
}

// biome-ignore format: a table, one line for each size
export const PART_SIZES = {
  whole: { statements: 4_000, waves: 20, feedOrders: 1_000, deliverySeconds: 10, histories: 20, liveOrders: 10_000 },
  quick: { statements: 320, waves: 4, feedOrders: 96, deliverySeconds: 1, histories: 5, liveOrders: 160 },
} as const satisfies Record<string, PartSize>;

/** The servers and sizes for the measurement of a part. */
export interface Surroundings {
  servers: BenchServers;
  /** Each started process is added immediately, so that an interrupt stops it. */
  cleanup: Cleanup;
  size: PartSize;
  /** Starts at 0. It decides which of two compared sides is measured first. */
  round: number;
}

/** `all` in the order of this round: every second round reverses it. */
export const inTurn = <T>(all: readonly T[], round: number): T[] =>
  round % 2 === 0 ? [...all] : [...all].reverse();
