import './chart.css';
import { useEffect, useRef } from 'preact/hooks';
import { count } from '../format.ts';
import type { Drawn } from './chart-canvas.ts';
import { Table } from './table.tsx';

export interface Series {
  name: string;
  /** One for each label; null where there is none, and no line. */
  values: (number | null)[];
  /** A colour of the style sheet: `good` is `--good`. */
  tone: 'main' | 'good' | 'busy' | 'warn' | 'bad' | 'quiet';
}

export interface ChartProps {
  title: string;
  kind: 'line' | 'bar';
  /** What stands below: times, days. */
  labels: string[];
  series: Series[];
  /** How a value is written. */
  format?: (value: number) => string;
  /** What the chart comes to, for who cannot see it. */
  summary: string;
}

/** A chart, with its numbers behind it as a table. What draws it is loaded when the first one is shown. */
export function Chart(props: ChartProps) {
  const { title, labels, series, summary, format = count } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    let gone = false;
    const redraw = () => drawn.current?.draw(latest.current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    import('./chart-canvas.ts').then(({ chartOn }) => {
      if (gone || !canvas.current) return;
      drawn.current = chartOn(canvas.current);
      redraw();
    }, showNumbersOnly);
    return () => {
      gone = true;
      dark.removeEventListener('change', redraw);
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, []);
  useEffect(() => {
    drawn.current?.draw(props);
  });

  /** Without a network the part that draws may be missing; the numbers are there. */
  function showNumbersOnly() {
    canvas.current?.closest('figure')?.querySelector('details')?.setAttribute('open', '');
  }

  const formatted = (value: number | null | undefined) => (typeof value === 'number' ? format(value) : '–');
  const filled = labels.map((_, i) => i).filter((i) => series.some(({ values }) => values[i]));
  return (
    <figure class="chart sheet">
      <figcaption>{title}</figcaption>
      <div class="canvas">
        <canvas ref={canvas} role="img" aria-label={`${title}: ${summary}`} />
      </div>
      <details>
        <summary>Numbers</summary>
        <Table
          caption={title}
          columns={[
            { title: 'When', cell: (i) => labels[i] },
            ...series.map(({ name, values }) => ({
              title: name,
              kind: 'number' as const,
              cell: (i: number) => formatted(values[i]),
            })),
          ]}
          rows={filled}
          keyOf={(i) => i}
          empty="Nothing in this time."
        />
      </details>
    </figure>
  );
}
