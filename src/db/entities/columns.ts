import { p } from '@mikro-orm/core';
import { SCALE } from '../../domain/money.ts';

/**
 * Column types that several tables share. Properties have the names of their columns, in snake_case. So a row has the
 * same shape from the ORM, from a hand-written statement and in JSON.
 */
export const id = () => p.bigint('number').primary().autoincrement();

/** JSON timestamps show milliseconds, so columns do not store more. */
export const instant = () => p.datetime(3);
export const createdAt = () => p.datetime(3).defaultRaw('now()');

/** An amount of a fiat currency, decimal string. */
export const fiat = () => p.decimal('string').precision(20).scale(SCALE.fiat);

/** A dollar amount, decimal string. */
export const usd = () => p.decimal('string').precision(20).scale(SCALE.usd);

/** An amount of a token, decimal string. */
export const tokens = () => p.decimal('string').precision(28).scale(SCALE.crypto);

/** SHA-256 of a key. Corridor returns the key itself once. */
export const keyHash = () => p.blob().$type<Buffer>().length(32).unique();

/** A CHECK that a text column holds one of `values`. */
export const oneOf = (column: string, values: readonly string[]): string =>
  `${column} in (${values.map((v) => `'${v}'`).join(', ')})`;

/** Indexes that a list of columns does not describe: partial, unique in part, or of expressions. Their statements name them. */
export const indexesOf = (...statements: string[]) =>
  statements.map((expression) => ({ name: expression.split('"')[1] as string, expression }));

/** A foreign key, mapped as the plain id. Corridor never deletes rows that others reference. */
export const references = <Target extends Parameters<typeof p.manyToOne>[0]>(
  target: Target,
  column: string,
) => p.manyToOne(target).mapToPk().fieldName(column).deleteRule('no action').updateRule('no action');
