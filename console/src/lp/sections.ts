import type { Section } from '../section.ts';
import { Collateral } from './collateral.tsx';
import { History } from './history.tsx';
import { Market } from './market.tsx';
import { Orders } from './orders.tsx';
import { Terms } from './terms.tsx';

/** The pages of LPs, in the order of the navigation. The first one opens after the sign-in. */
export const lpSections: Section[] = [
  { path: 'market', title: 'Market', icon: 'market', view: Market },
  { path: 'orders', title: 'Your orders', icon: 'orders', view: Orders },
  { path: 'terms', title: 'Terms', icon: 'terms', view: Terms },
  { path: 'collateral', title: 'Collateral', icon: 'collateral', view: Collateral },
  { path: 'history', title: 'History', icon: 'history', view: History },
];
