import { readdirSync, readFileSync } from 'node:fs';
import type { Statement } from '../../src/db/statement.ts';
import { CONFIRM_DEPOSIT } from '../../src/market/collateral/confirm-deposit.ts';
import { DECIDE_WITHDRAWAL } from '../../src/market/collateral/decide-withdrawal.ts';
import { REQUEST_WITHDRAWAL } from '../../src/market/collateral/request-withdrawal.ts';
import { RECORD_POSTING } from '../../src/market/postings/record-posting.ts';
import { MOVE_SOME } from '../../src/orders/steps/close-incident.ts';
import { FREEZE_AFTER_LOSS } from '../../src/orders/steps/freeze-after-loss.ts';
import { READ_BACK, RECORD_ANSWERS } from '../../src/orders/steps/perform-step.ts';
import { STEP_STATEMENTS } from '../../src/orders/steps/registry.ts';
import { SHIFT_SOME } from '../../src/orders/steps/shift-deadlines.ts';

/** The folder with the whole SQL of each statement that moves an order or money, for reviewers. */
export const STATEMENTS_FOLDER = new URL('../db/statements/', import.meta.url);

const STATEMENTS: readonly Statement[] = [
  ...Object.values(STEP_STATEMENTS),
  READ_BACK,
  RECORD_ANSWERS,
  SHIFT_SOME,
  MOVE_SOME,
  FREEZE_AFTER_LOSS,
  CONFIRM_DEPOSIT,
  REQUEST_WITHDRAWAL,
  ...Object.values(DECIDE_WITHDRAWAL),
  RECORD_POSTING,
];

/** The expected content of the files, by file name. */
export const expectedFiles = (): Map<string, string> =>
  new Map(STATEMENTS.map((statement) => [`${statement.name}.sql`, fileOf(statement)]));

/** The present content of the files, by file name. */
export const committedFiles = (): Map<string, string> =>
  new Map(
    readdirSync(STATEMENTS_FOLDER).map((name) => [
      name,
      readFileSync(new URL(name, STATEMENTS_FOLDER), 'utf8'),
    ]),
  );

function fileOf({ text, parameters }: Statement): string {
  const names = parameters.map((parameter, i) => `-- $${i + 1}: ${parameter}\n`);
  return `${names.join('')}\n${text};\n`;
}
