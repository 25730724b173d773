import { type ReasonCode, type ReasonValues, textParts } from '../../../domain/status-reasons.ts';

/** A reason in SQL: the text, and the code beside it. */
export interface ReasonSql {
  text: string;
  code: string;
}

/** A reason whose values are SQL expressions, for statements that read them from rows. */
export const reasonSql = <Code extends ReasonCode>(
  code: Code,
  values: ReasonValues<Code, string>,
): ReasonSql => ({
  text: textParts(code, values)
    .map((part) => (typeof part === 'string' ? `'${part.replaceAll("'", "''")}'` : part.value))
    .join(' || '),
  code: `'${code}'`,
});
