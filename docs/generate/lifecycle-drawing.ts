import { isFinal, ORDER_STATUSES, type OrderStatus, TRANSITIONS } from '../../src/domain/order-state.ts';
import { askers, timeAfter } from './lifecycle-words.ts';

/** The state machine as a Mermaid diagram: one arrow for each pair of statuses, with all that leads along it. */
export function drawing(): string {
  const onward = new Map<string, string[]>();
  const ending = new Map<string, string[]>();
  const draw = (from: OrderStatus, to: OrderStatus, label: string) => {
    if (from === to) return;
    const arrow = `${from} --> ${to}`;
    const arrows = isFinal(to) ? ending : onward;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), label]);
  };
  for (const { from, to, trigger, by, escalation } of TRANSITIONS) {
    const label = by.includes('service') ? trigger : `${trigger} (${askers(by)})`;
    draw(from, to, label);
    if (escalation) draw(from, escalation.to, `${label}, ${timeAfter(escalation.after)}`);
  }
  const ends = ORDER_STATUSES.filter(isFinal).map((status) => `${status} --> [*]`);
  // With those to the ends last, Mermaid's layout lets no label lie on another.
  const labelled = [...onward, ...ending].map(([arrow, labels]) => `${arrow} : ${labels.join('<br/>')}`);
  return ['stateDiagram-v2', '[*] --> matched : pay (agent)', ...labelled, ...ends].join('\n  ');
}
