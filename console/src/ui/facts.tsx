import type { ComponentChildren } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

/** A list of named values. It omits null values. */
export const Facts = ({ facts, sheet, label }: { facts: readonly Fact[]; sheet?: true; label?: string }) => (
  <dl class={sheet ? 'facts sheet' : 'facts'} aria-label={label}>
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
