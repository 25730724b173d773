import type { ComponentChildren } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

/** A list of named values. It omits null values. */
export const Facts = ({
  facts,
  sheet,
  figures,
  lead,
  label,
}: {
  facts: readonly Fact[];
  sheet?: true;
  /** The values are figures that people compare at a glance, so they are large. */
  figures?: true;
  /** The first value is what the reader looks for, so it is larger than the others. */
  lead?: true;
  /** What the list is about, for screen readers. */
  label?: string;
}) => (
  <dl
    class={`facts ${sheet ? 'sheet' : ''} ${figures ? 'figures' : ''} ${lead ? 'lead' : ''}`}
    aria-label={label}
  >
    {facts.map(
      ([name, value]) =>
        value !== null && (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);
