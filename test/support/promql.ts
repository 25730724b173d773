import { parser } from '@prometheus-io/lezer-promql';
import type { Sample } from './exposition.ts';

type Node = ReturnType<typeof parser.parse>['topNode'];

interface Matcher {
  label: string;
  op: string;
  value: string;
}

/** A selector of a query: its matchers, and the labels by which its result is grouped. */
export interface Selection {
  text: string;
  matchers: Matcher[];
  /** Labels that the selected series must have, because an aggregation keeps them. */
  groupedBy: string[];
}

/** The selectors of a PromQL expression. Throws if it is invalid. */
export function selectionsOf(expression: string): Selection[] {
  const selections: Selection[] = [];
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  const visit = (node: Node, groupedBy: string[]): void => {
    if (node.type.isError)
      throw new Error(`Invalid PromQL at "${expression.slice(node.from)}": ${expression}`);
    if (node.name === 'VectorSelector') {
      const name = node.getChild('Identifier');
      const named = name ? [{ label: '__name__', op: '=', value: textOf(name) }] : [];
      const matchers = (node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map(
        (matcher) => {
          const part = (kind: string) => {
            const child = matcher.getChild(kind);
            return child ? textOf(child) : '';
          };
          return { label: part('LabelName'), op: part('MatchOp'), value: JSON.parse(part('StringLiteral')) };
        },
      );
      selections.push({ text: textOf(node), matchers: [...named, ...matchers], groupedBy });
      return;
    }
    const grouping = node.getChild('AggregateModifier');
    const labels =
      grouping?.getChild('By') === null
        ? []
        : (grouping?.getChild('GroupingLabels')?.getChildren('LabelName') ?? []).map(textOf);
    for (let child = node.firstChild; child; child = child.nextSibling)
      visit(child, [...groupedBy, ...labels]);
  };
  visit(parser.parse(expression).topNode, []);
  return selections;
}

/** The samples that a selector matches, with every label that its aggregations keep. */
export const found = (samples: Sample[], { matchers, groupedBy }: Selection): Sample[] =>
  samples.filter(
    ({ name, labels }) =>
      matchers.every((matcher) => matches({ ...labels, __name__: name }[matcher.label] ?? '', matcher)) &&
      groupedBy.every((label) => label in labels),
  );

function matches(given: string, { op, value }: Matcher): boolean {
  if (op === '=') return given === value;
  if (op === '!=') return given !== value;
  const fits = new RegExp(`^(?:${value})$`).test(given);
  return op === '=~' ? fits : !fits;
}
