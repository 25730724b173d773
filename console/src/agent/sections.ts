import type { Section } from '../section.ts';
import { Key } from './key.tsx';
import { Orders } from './orders.tsx';
import { Webhooks } from './webhooks.tsx';

/** The pages of agents, in the order of the navigation. The first one opens after the sign-in. */
export const agentSections: Section[] = [
  { path: 'orders', title: 'Orders', view: Orders },
  { path: 'webhooks', title: 'Webhooks', view: Webhooks },
  { path: 'key', title: 'Key', view: Key },
];
