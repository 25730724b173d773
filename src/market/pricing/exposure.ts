import { DatabaseError } from 'pg';
import { violates } from '../../db/errors.ts';
import type { Database } from '../../db/orm.ts';
import { DomainError } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';

/**
 * Agents pay the crypto after the LP has sent the fiat, so LPs carry the agent's credit risk. The agent's limit caps
 * this risk. The database functions `require_room_to_pay` and `require_room_to_claim` fail a statement that would
 * exceed it.
 */
export const exceedsExposure = (error: unknown): boolean => violates(error, 'agent_exposure_cap');

/** An agent's unsettled USD, and its limit. Null: there is no limit. */
export interface Exposure {
  limit_usd: number | null;
  used_usd: number;
  left_usd: number | null;
}

const READ = `
  select used::float as used_usd, nullif(max_exposure_usd, 0)::float as limit_usd,
    case when max_exposure_usd <> 0 then greatest(max_exposure_usd - used, 0)::float end as left_usd
  from agent_key cross join lateral unsettled_usd(id) used
  where id = $1`;

/** Reads how much of its limit an agent has used. The functions above check the limit by the same sum. */
export async function readExposure(db: Database, agentKeyId: number): Promise<Exposure> {
  const [found] = await db.query<Exposure & Record<string, unknown>>('exposure-read', READ, [agentKeyId]);
  if (!found) throw new Error(`There is no agent key ${agentKeyId}`);
  return found;
}

/** The refusal of a payment of `amountUsd` (decimal string) whose statement failed with `exceedsExposure`. */
export function exposureExceeded(error: unknown, amountUsd: string): DomainError {
  const detail = error instanceof DatabaseError ? error.detail : undefined;
  const { unsettled, cap }: { unsettled: string; cap: string } = JSON.parse(detail ?? '{}');
  return new DomainError(
    'exposure_exceeded',
    `This payment is worth ${usd(amountUsd)} USD; with ${usd(unsettled)} USD unsettled it would exceed this agent’s limit of ${usd(cap)} USD. Settle or cancel other orders first.`,
  );
}

/** Two decimal places, or more if the amount has more. */
const usd = (value: string) => {
  const exact = decimal(value);
  return exact.toFixed(Math.max(2, exact.decimalPlaces()));
};
