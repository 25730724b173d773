/** Replaces the global setup for attacks in `test/unit`, which need no servers. */
export default function setUpNothing(): void {}
