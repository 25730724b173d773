import { wordsFor } from '../words.ts';

/** The tone of each status. Any other status looks neutral. */
const TONES: Record<string, 'good' | 'busy' | 'warn' | 'bad'> = {
  matched: 'busy',
  claimed: 'busy',
  fiat_sent: 'busy',
  confirmed: 'busy',
  crypto_verify_pending: 'busy',
  completed: 'good',
  cancelled: 'warn',
  disputed: 'bad',
  approved: 'good',
  pending: 'warn',
  proposed: 'warn',
  requested: 'warn',
  suspended: 'bad',
  rejected: 'bad',
  paid: 'good',
  delivered: 'good',
  failed: 'bad',
  exhausted: 'bad',
  frozen: 'warn',
  active: 'good',
  quoted: 'good',
  'not quoted': 'warn',
  expired: 'warn',
  stopped: 'warn',
  running: 'busy',
  stopping: 'busy',
  finished: 'good',
};

/** A status, shown by its name and not by its colour alone. */
export const Badge = ({ status }: { status: string }) => (
  <span class={`badge ${TONES[status] ?? ''}`}>{wordsFor(status)}</span>
);
