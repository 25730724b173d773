/** The scope of a pause in words: `everything`, `KES`, `agent key 3` or `agent key 3 in KES`. */
export function pauseScope(pause: { currency: string | null; agent_key_id: number | null }): string {
  const { currency, agent_key_id: agent } = pause;
  if (agent === null) return currency ?? 'everything';
  return currency === null ? `agent key ${agent}` : `agent key ${agent} in ${currency}`;
}
