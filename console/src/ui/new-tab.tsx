import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

/** A link that leaves the console, so it opens a tab of its own, and its icon says so. */
export const NewTab = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a href={href} target="_blank" rel="noreferrer">
    {children}
    <Icon name="otherSite" />
  </a>
);
