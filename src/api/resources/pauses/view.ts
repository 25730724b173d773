import type { Pause } from '../../../db/entities/pause.ts';
import type { PauseView } from './schemas.ts';

export const pauseView = ({ id, currency, agent_key_id, reason, created_at }: Pause): PauseView => ({
  id,
  currency: currency ?? null,
  agent_key_id: agent_key_id ?? null,
  reason,
  created_at: new Date(created_at).toISOString(),
});
