import { type DeliveryFigures, measureDelivery } from './delivery.ts';
import { type FeedFigures, measureFeed } from './feed.ts';
import { type HistoryFigures, measureHistory } from './history.ts';
import { type HotLpFigures, measureHotLp } from './hot-lp.ts';
import { type MemoryFigures, measureMemory } from './memory.ts';
import type { PartName } from './names.ts';
import type { Surroundings } from './part.ts';
import { measureSql, type SqlFigures } from './sql.ts';
import { measureStart, type StartFigures } from './start.ts';

/** The figures of a round, by part. */
interface AllFigures extends Record<PartName, object> {
  sql: SqlFigures;
  'hot-lp': HotLpFigures;
  feed: FeedFigures;
  delivery: DeliveryFigures;
  history: HistoryFigures;
  memory: MemoryFigures;
  start: StartFigures;
}

/** One round. Parts that were not measured are missing. */
export type PartRound = Partial<AllFigures>;

export const PARTS: { [Name in PartName]: (surroundings: Surroundings) => Promise<AllFigures[Name]> } = {
  sql: measureSql,
  'hot-lp': measureHotLp,
  feed: measureFeed,
  delivery: measureDelivery,
  history: measureHistory,
  memory: measureMemory,
  start: measureStart,
};
