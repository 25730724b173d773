import type { EntitySchema } from '@mikro-orm/core';
import pg from 'pg';

/** An entity's columns in a statement that is written by hand, and the rows that they make. */
export interface EntityColumns<Row> {
  /** For the list of a select, under the alias. */
  list: string;
  count: number;
  /** What `values` have from the place `from` on; null where an outer join has found nothing. */
  read: (values: unknown[], from: number) => Row | null;
}

/**
 * Rows as the ORM maps them, for a fraction of what it costs: properties are named as their columns, so that all there
 * is to be mapped are the kinds of values, and `ENTITY_TYPES` does that. The first property must be one without null.
 */
export function columnsOf<Row, Without extends keyof Row & string = never>(
  entity: EntitySchema<Row>,
  alias: string,
  without: readonly Without[] = [],
): EntityColumns<Omit<Row, Without>> {
  const left: readonly string[] = without;
  const names = Object.keys(entity.meta.properties).filter((name) => !left.includes(name));
  return {
    list: names.map((name) => `${alias}."${name}"`).join(', '),
    count: names.length,
    read: (values, from) => {
      if (values[from] === null) return null;
      const row: Record<string, unknown> = {};
      for (let i = 0; i < names.length; i++) row[names[i] as string] = values[from + i];
      return row as Omit<Row, Without>;
    },
  };
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;
/** Not among the named ones: an array of INT8. */
const INT8_ARRAY = 1016 as typeof INT8;

/** How the values of entities are read: ids as numbers, times as Dates, amounts as decimal strings. */
export const ENTITY_TYPES = entityTypes();

function entityTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  const textArray = pg.types.getTypeParser(INT8_ARRAY) as unknown as (text: string) => string[];
  types.setTypeParser(INT8, Number);
  types.setTypeParser(INT8_ARRAY, (text) => textArray(text).map(Number));
  types.setTypeParser(TIMESTAMPTZ, pg.types.getTypeParser(TIMESTAMPTZ));
  return types;
}
