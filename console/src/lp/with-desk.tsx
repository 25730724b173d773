import type { ComponentType } from 'preact';
import type { Route } from '../route.ts';
import { ResourceView } from '../ui/states.tsx';
import { type Desk, desk } from './desk.ts';
import type { Dashboard } from './shapes.ts';

export interface DeskProps {
  desk: Desk;
  dashboard: Dashboard;
  route: Route;
}

/** Renders a page after the LP's dashboard has loaded. */
export const withDesk =
  (View: ComponentType<DeskProps>): ComponentType<{ route: Route }> =>
  ({ route }) =>
    desk.value && (
      <ResourceView resource={desk.value.dashboard} what="your dashboard">
        {(dashboard) => desk.value && <View desk={desk.value} dashboard={dashboard} route={route} />}
      </ResourceView>
    );
