import type { Database } from '../../src/db/orm.ts';

/** The database for a caller that loses its connection after so many statements of this name. */
export function failingAfter(db: Database, name: string, turns: number): Database {
  let left = turns;
  return {
    ...db,
    query: (called, text, values) => {
      if (called === name) left -= 1;
      return left < 0 ? Promise.reject(new Error('The connection is lost')) : db.query(called, text, values);
    },
  };
}
