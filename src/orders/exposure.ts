import type { AgentKey } from '../db/entities/agent-key.ts';
import type { Database } from '../db/orm.ts';
import { unsettledUsd } from '../db/queries/unsettled-usd.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';

/**
 * Crypto is paid after the fiat, so LPs carry an agent's credit risk; its cap bounds how much. Throws
 * `exposure_exceeded` when a payment of `amountUsd` would bring the agent's unsettled orders above it.
 */
export async function requireExposure(
  db: Database,
  { id, max_exposure_usd: cap }: Pick<AgentKey, 'id' | 'max_exposure_usd'>,
  amountUsd: string,
): Promise<void> {
  if (cap === null || cap === undefined) return;
  const unsettled = decimal(await unsettledUsd(db, id));
  if (unsettled.add(amountUsd).lte(cap)) return;
  throw new DomainError(
    'exposure_exceeded',
    `This payment is worth ${usd(amountUsd)} USD; with ${usd(unsettled)} USD unsettled it would exceed this agent’s limit of ${usd(cap)} USD. Settle confirmed orders first.`,
  );
}

/** To the cent where that says it all. */
const usd = (value: Parameters<typeof decimal>[0]) => {
  const exact = decimal(value);
  return exact.toFixed(Math.max(2, exact.decimalPlaces()));
};
