import type { Section } from '../section.ts';
import { Key } from './key.tsx';
import { Orders } from './orders.tsx';
import { Webhooks } from './webhooks.tsx';

/** The pages of agents, in the order of the navigation. The first one opens after the sign-in. */
export const agentSections: Section[] = [
  { path: 'orders', title: 'Orders', icon: 'orders', view: Orders },
  { path: 'webhooks', title: 'Webhooks', icon: 'webhooks', view: Webhooks },
  { path: 'key', title: 'Key', icon: 'keys', view: Key },
];
