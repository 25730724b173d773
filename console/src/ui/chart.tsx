import './chart.css';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../format.ts';
import type { ChartHandle } from './chart-canvas.ts';
import type { ChartProps } from './chart-props.ts';
import { Table } from './table.tsx';

/** A chart, with its numbers in a table. The chart library loads with the first chart. */
export function Chart(props: ChartProps) {
  const { title, labels, series, summary, format = formatCount } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const handle = useRef<ChartHandle | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    let isUnmounted = false;
    const redraw = () => handle.current?.draw(latest.current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    import('./chart-canvas.ts').then(({ createChart }) => {
      if (isUnmounted || !canvas.current) return;
      handle.current = createChart(canvas.current);
      redraw();
    }, showNumbersOnly);
    return () => {
      isUnmounted = true;
      dark.removeEventListener('change', redraw);
      handle.current?.destroy();
      handle.current = null;
    };
  }, []);
  useEffect(() => {
    handle.current?.draw(props);
  });

  /** The chart library may fail to load, for example offline. The table needs no library. */
  function showNumbersOnly() {
    canvas.current?.closest('figure')?.querySelector('details')?.setAttribute('open', '');
  }

  const formatValue = (value: number | null | undefined) => (typeof value === 'number' ? format(value) : '–');
  const rows = labels.map((_, i) => i).filter((i) => series.some(({ values }) => values[i]));
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
              cell: (i: number) => formatValue(values[i]),
            })),
          ]}
          rows={rows}
          keyOf={(i) => i}
          empty="No data in this period."
        />
      </details>
    </figure>
  );
}
