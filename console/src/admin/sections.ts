import type { Section } from '../section.ts';
import { Health } from './health.tsx';

/** What admins see, in the order of the navigation; the first is where they begin. */
export const adminSections: Section[] = [{ path: 'health', title: 'Health', view: Health }];
