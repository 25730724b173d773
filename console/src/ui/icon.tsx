import { ICONS, type IconName } from './icons.ts';

/** An icon as high as the text beside it. That text names what it stands for, so screen readers do not hear of it. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);
