import type { ComponentType } from 'preact';
import type { Place } from '../route.ts';
import { Read } from '../ui/states.tsx';
import { type Desk, desk } from './desk.ts';
import type { Dashboard } from './shapes.ts';

export interface DeskProps {
  desk: Desk;
  dashboard: Dashboard;
  place: Place;
}

/** A page that is drawn once the LP's desk has been read. */
export const withDesk =
  (View: ComponentType<DeskProps>): ComponentType<{ place: Place }> =>
  ({ place }) =>
    desk.value && (
      <Read resource={desk.value.dashboard} what="your desk">
        {(dashboard) => desk.value && <View desk={desk.value} dashboard={dashboard} place={place} />}
      </Read>
    );
