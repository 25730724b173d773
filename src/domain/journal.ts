/** A transfer of the ledger. `amount`: USD, decimal string. `at`: ISO 8601. */
export interface JournalTransfer {
  id: number;
  at: string;
  key: string;
  debit: string;
  credit: string;
  amount: string;
  /** Why an admin posted it; null for transfers that Corridor made by itself. */
  reason: string | null;
}

/**
 * Returns a transfer as a transaction of plain-text accounting, as hledger and ledger read it. The amount leaves the account
 * `debit` and reaches `credit`. The code in parentheses is the id of the transfer.
 */
export const journalEntry = ({ id, at, key, debit, credit, amount, reason }: JournalTransfer): string =>
  [
    `${at.slice(0, 10)} * (${id}) ${key}${reason === null ? '' : ` ${described(reason)}`}`,
    `    ; time: ${at}`,
    `    ${credit}  ${amount} USD`,
    `    ${debit}  -${amount} USD`,
    '',
    '',
  ].join('\n');

/** A text without the characters that end a description, or begin a comment, in one of the programs. */
const described = (text: string): string => text.replace(/[;|\p{Cc}\p{Zl}\p{Zp}]+/gu, ',');
