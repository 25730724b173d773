export interface Series {
  name: string;
  /** One value for each label; null leaves a gap. */
  values: (number | null)[];
  /** A colour variable of the style sheet: `good` is `--good`. */
  tone: 'main' | 'good' | 'busy' | 'warn' | 'bad' | 'quiet';
}

export interface ChartProps {
  title: string;
  kind: 'line' | 'bar';
  /** The labels of the horizontal axis: times or days. */
  labels: string[];
  series: Series[];
  /** Formats a value; `formatCount` by default. */
  format?: (value: number) => string;
  /** Describes the chart to people who cannot see it. */
  summary: string;
}
