import { z } from 'zod';

/** A positive whole number as a query has it: text. */
export const idInQuery = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be an id: a positive whole number')
  .transform(Number);

/** Where a page of a list begins, and how long it may be. */
export const pageQuery = z.object({
  cursor: idInQuery.optional().describe('The `next_cursor` of the page before.'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
export type PageQuery = z.output<typeof pageQuery>;

export const nextCursor = z
  .string()
  .nullable()
  .describe('What to give as `cursor` for the next page; null: this is the last one.');

/**
 * Cuts a page from rows that were asked for newest first, one more than it shows. Ids only grow, so new rows never
 * shift a page that is being walked.
 */
export function pageOf<Row extends { id: number }>(rows: Row[], { limit }: PageQuery) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last ? String(last.id) : null };
}
