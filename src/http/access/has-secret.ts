/** SQL: whether a row's secret has this hash. Replaced secrets count until their rotation overlap ends. */
export const hasSecret = (row: string, hash: string): string => `
  (${row}.key_hash = ${hash} or ${row}.previous_key_hash = ${hash} and ${row}.previous_expires_at > now()
    or ${row}.older_key_hash = ${hash} and ${row}.older_expires_at > now())`;
