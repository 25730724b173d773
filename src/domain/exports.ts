/** What an export contains. `file`: its name in the paths of the API. `ofLp`: it is of one LP, which can read it too. */
interface Export {
  file: string;
  ofLp: boolean;
}

/** The files for accountants, by the name that the CLI has for them. */
export const EXPORTS = {
  orders: { file: 'orders.csv', ofLp: false },
  ledger: { file: 'ledger.csv', ofLp: false },
  journal: { file: 'ledger.journal', ofLp: false },
  history: { file: 'history.csv', ofLp: true },
  statement: { file: 'statement.csv', ofLp: true },
} as const satisfies Record<string, Export>;
export type ExportName = keyof typeof EXPORTS;

export const EXPORT_NAMES = Object.keys(EXPORTS) as ExportName[];
