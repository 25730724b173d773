import { DatabaseError } from 'pg';
import { violates } from '../db/errors.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';

/**
 * Agents pay the crypto after the LP has sent the fiat, so LPs carry the agent's credit risk. The agent's limit caps
 * this risk. The database functions `require_room_to_pay` and `require_room_to_claim` fail a statement that would
 * exceed it.
 */
export const exceedsExposure = (error: unknown): boolean => violates(error, 'agent_exposure_cap');

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
