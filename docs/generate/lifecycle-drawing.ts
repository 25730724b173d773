import { isFinal, ORDER_STATUSES, type OrderStatus, TRANSITIONS } from '../../src/domain/order-state.ts';
import { actors, FINDING_WORDS, ordinalTimeAfter } from './lifecycle-words.ts';

/** The state machine as a Mermaid diagram: one arrow per pair of statuses, with all of its triggers. */
export function lifecycleDiagram(): string {
  const toOpen = new Map<string, string[]>();
  const toFinal = new Map<string, string[]>();
  const addArrow = (from: OrderStatus, to: OrderStatus, label: string) => {
    if (from === to) return;
    const arrow = `${from} --> ${to}`;
    const arrows = isFinal(to) ? toFinal : toOpen;
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), label]);
  };
  for (const { from, to, trigger, by, found, escalation } of TRANSITIONS) {
    const label = by.includes('service') ? trigger : `${trigger} (${actors(by)})`;
    addArrow(from, to, found ? `${label}, ${FINDING_WORDS[found].label}` : label);
    if (escalation) addArrow(from, escalation.to, `${label}, ${ordinalTimeAfter(escalation.after)}`);
  }
  const ends = ORDER_STATUSES.filter(isFinal).map((status) => `${status} --> [*]`);
  // Mermaid's layout keeps labels apart only if the arrows to final statuses come last.
  const labelled = [...toOpen, ...toFinal].map(([arrow, labels]) => `${arrow} : ${labels.join('<br/>')}`);
  return ['stateDiagram-v2', '[*] --> matched : pay (agent)', ...labelled, ...ends].join('\n  ');
}
