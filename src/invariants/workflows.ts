import { setTimeout as delay } from 'node:timers/promises';
import { DRIFT_KINDS } from '../domain/drift.ts';
import { checkDrift, type DriftCheckDeps, type DriftFinding } from '../orders/check-drift.ts';
import type { Breach } from './breach.ts';

const AGREE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/**
 * What rows, workflows and ledger do not agree upon. What the reconciler mends is given the time to be mended.
 * Rejects when Temporal does not answer: then nothing is known.
 */
export async function workflowBreaches(
  deps: DriftCheckDeps,
  agreeWithinMs = AGREE_WITHIN_MS,
): Promise<Breach[]> {
  const patientUntil = Date.now() + agreeWithinMs;
  let findings = await look();
  while (findings.some(isMended) && Date.now() < patientUntil) {
    await delay(LOOK_EVERY_MS);
    findings = await look();
  }
  return findings.map(({ kind, where, expected, found }) => ({
    what: `rows, workflows and ledger agree (${kind.replaceAll('_', ' ')})`,
    ...{ where, expected, found },
  }));

  async function look(): Promise<DriftFinding[]> {
    const { findings, temporal } = await checkDrift(deps);
    if (!temporal) throw new Error('Temporal does not say which workflows run');
    return findings;
  }
}

const isMended = ({ kind }: DriftFinding): boolean => DRIFT_KINDS[kind].mended;
