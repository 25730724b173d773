/** The minimum cost of something: the parts that the alternatives build on, without their own code. */
export interface Baseline {
  /** Performs one unit of work. Calls may run concurrently. */
  once: () => Promise<void>;
  close: () => Promise<void>;
}
