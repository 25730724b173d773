interface Scope {
  currency: string | null;
  agent_key_id: number | null;
}

/** The scope of a pause in words: `everything`, `KES`, `agent key 3` or `agent key 3 in KES`. */
export function pauseScope({ currency, agent_key_id: agent }: Scope): string {
  if (agent === null) return currency ?? 'everything';
  return currency === null ? `agent key ${agent}` : `agent key ${agent} in ${currency}`;
}

/** Says that a pause is in force, and which reason it has replaced if its scope was paused before. */
export function pausedText(pause: Scope & { reason: string; replaced_reason: string | null }): string {
  const { reason, replaced_reason: earlier } = pause;
  if (earlier === null) return `New payments and claims are paused: ${pauseScope(pause)}.`;
  const already = `New payments and claims were paused already: ${pauseScope(pause)}.`;
  return earlier === reason ? already : `${already} The reason is now “${reason}” instead of “${earlier}”.`;
}
