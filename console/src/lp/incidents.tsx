import { stopsClock } from '../../../src/domain/incident.ts';
import { Time } from '../ui/time.tsx';
import { incidentWords } from '../words.ts';
import type { Desk } from './desk.ts';
import type { Dashboard, OwnOrder } from './shapes.ts';

/** What is out of order, above the open orders: their claims are refused. */
export const Incidents = ({ incidents }: Pick<Dashboard['lp'], 'incidents'>) =>
  incidents.length === 0 ? null : (
    <ul class="notice" aria-label="Out of order">
      {incidents.map((incident) => (
        <li key={incidentWords(incident)}>
          <strong>{incidentWords(incident)}</strong> is out of order since <Time at={incident.opened_at} />:{' '}
          {incident.reason}. You cannot claim orders there, and the clocks of yours that wait for it stand
          still.
        </li>
      ))}
    </ul>
  );

/** Whether an open incident has stopped the clock of the LP's order. */
export const isStopped = (desk: Desk, order: OwnOrder): boolean =>
  (desk.dashboard.data.value?.lp.incidents ?? []).some((incident) => stopsClock(incident, order));
