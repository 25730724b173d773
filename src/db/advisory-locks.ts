/** The ids of the database's advisory locks. Two uses of one id would wait for each other. */
export const ADVISORY_LOCKS = {
  /** Held while a process migrates the schema. */
  migration: 7_266_001,
  /** Held by the process that runs the jobs of upkeep, as long as it lives. */
  upkeep: 7_266_002,
  /** Held by each transaction that appends to the audit, until it ends. `migrations/audit.sql` writes it as a number. */
  audit: 7_266_003,
  /** Held by each statement that moves deadlines after an outage, so that one worker at a time does. */
  shiftDeadlines: 7_266_004,
} as const;
