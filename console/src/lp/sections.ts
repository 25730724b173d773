import type { Section } from '../section.ts';
import { Market } from './market.tsx';

/** What LPs see, in the order of the navigation; the first is where they begin. */
export const lpSections: Section[] = [{ path: 'market', title: 'Market', view: Market }];
