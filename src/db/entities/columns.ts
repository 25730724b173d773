import { p } from '@mikro-orm/core';
import { SCALE } from '../../domain/money.ts';

/**
 * Column kinds that several tables share. Properties are named as their columns, in snake_case, so that a row is
 * the same object whether the ORM or a hand-written statement read it, and whether SQL or JSON shows it.
 */
export const id = () => p.bigint('number').primary().autoincrement();

/** Milliseconds are what JSON timestamps show; storing more would make the two disagree. */
export const instant = () => p.datetime(3);
export const createdAt = () => p.datetime(3).defaultRaw('now()');

/** A dollar amount, decimal string. */
export const usd = () => p.decimal('string').precision(20).scale(SCALE.usd);

/** SHA-256 of a key that was shown once. */
export const keyHash = () => p.blob().$type<Buffer>().length(32).unique();

/** A CHECK that a text column holds one of `values`. */
export const oneOf = (column: string, values: readonly string[]): string =>
  `${column} in (${values.map((v) => `'${v}'`).join(', ')})`;

/** A foreign key, mapped as the plain id. Rows that others refer to are never deleted. */
export const references = <Target extends Parameters<typeof p.manyToOne>[0]>(
  target: Target,
  column: string,
) => p.manyToOne(target).mapToPk().fieldName(column).deleteRule('no action').updateRule('no action');
