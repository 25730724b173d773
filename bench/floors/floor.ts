/** The least that something can cost: what a contestant stands on, with nothing of its own. */
export interface Floor {
  /** One unit of work, from its beginning to its end. May be called many times at once. */
  once: () => Promise<void>;
  close: () => Promise<void>;
}
