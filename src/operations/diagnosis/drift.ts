import type { DriftKind } from '../../domain/workflow-drift.ts';
import type { Finding } from './finding.ts';

/** The findings of each kind. A kind that could not be checked is missing. */
export type Drift = Partial<Record<DriftKind, Finding[]>>;
