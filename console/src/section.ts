import type { ComponentType } from 'preact';
import type { Permission } from '../../src/domain/permissions.ts';
import type { Route } from './route.ts';
import type { IconName } from './ui/icons.ts';

/** A page of the console, with its entry in the navigation. */
export interface Section {
  /** First part of its address: `orders` is `#/orders`. */
  path: string;
  title: string;
  icon: IconName;
  /** The navigation has a gap above it. */
  startsGroup?: true;
  /** The navigation does not show it. */
  isHidden?: true;
  /** Only admins with this permission see it. */
  permission?: Permission;
  /** Receives the route within the section: the parts after `path`, and the query. */
  view: ComponentType<{ route: Route }>;
}
