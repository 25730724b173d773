/** What answered within this a short while ago is asked in the same breath as the step that needs it. */
const SWIFT_MS = 150;
const FORGOTTEN_AFTER_MS = 10 * 60_000;
const MOST_KNOWN = 10_000;

/**
 * Remembers which of those that this process talks to, by any name, answered swiftly when last asked. A workflow task is
 * held for them alone: whoever is slow, or not known yet, is asked by an activity of its own.
 */
export interface SwiftPeers {
  isSwift: (name: string) => boolean;
  /** Remembers how long the last answer took; Infinity: none came. */
  took: (name: string, ms: number) => void;
}

/** `now`: milliseconds of a clock that only goes on. */
export function createSwiftPeers(now = () => performance.now()): SwiftPeers {
  /** When each that was swift answered, the one that was heard of longest ago first. */
  const answeredAt = new Map<string, number>();
  return {
    isSwift: (name) => {
      const at = answeredAt.get(name);
      return at !== undefined && now() - at < FORGOTTEN_AFTER_MS;
    },
    took: (name, ms) => {
      answeredAt.delete(name);
      if (ms > SWIFT_MS) return;
      answeredAt.set(name, now());
      if (answeredAt.size > MOST_KNOWN) answeredAt.delete(answeredAt.keys().next().value as string);
    },
  };
}
