import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { formatCount } from '../format.ts';
import type { ChartProps } from './chart-props.ts';

// Registering only these parts keeps the rest of the library out of the bundle.
Chart.register(
  ...[BarController, BarElement, LineController, LineElement, PointElement],
  ...[CategoryScale, LinearScale, Legend, Tooltip],
);

/** Dashes distinguish the lines for people who cannot distinguish the colours. */
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

export interface ChartHandle {
  /** Draws the values in the colours of the current scheme. */
  draw: (props: ChartProps) => void;
  destroy: () => void;
}

export function createChart(canvas: HTMLCanvasElement): ChartHandle {
  const chart = new Chart<'line' | 'bar', (number | null)[], string>(canvas, {
    type: 'line',
    data: { labels: [], datasets: [] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
    },
  });
  const draw = ({ kind, labels, series, format = formatCount }: ChartProps) => {
    const [text, grid] = [resolveColour(canvas, 'quiet'), resolveColour(canvas, 'line')];
    chart.data = {
      labels,
      datasets: series.map(({ name, values, tone }, i) => ({
        ...{ type: kind, label: name, data: values },
        ...{ borderColor: resolveColour(canvas, tone), backgroundColor: resolveColour(canvas, tone) },
        ...(kind === 'line'
          ? { borderDash: DASHES[i % DASHES.length] ?? [], borderWidth: 2, pointRadius: 0, pointHitRadius: 8 }
          : {}),
      })),
    };
    chart.options.scales = {
      x: { ticks: { color: text, maxRotation: 0, autoSkipPadding: 24 }, grid: { display: false } },
      y: {
        beginAtZero: true,
        ticks: { color: text, precision: 0, callback: (value) => format(Number(value)) },
        grid: { color: grid },
      },
    };
    chart.options.plugins = {
      legend: { display: series.length > 1, labels: { color: text, boxHeight: 0, borderRadius: 0 } },
      tooltip: {
        callbacks: { label: ({ dataset, raw }) => `${dataset.label}: ${format(Number(raw))}` },
      },
    };
    chart.update();
  };
  return { draw, destroy: () => chart.destroy() };
}

/** Resolves a colour variable for the current scheme, since a canvas cannot use CSS variables. */
function resolveColour(canvas: HTMLCanvasElement, name: string): string {
  canvas.style.color = `var(--${name})`;
  return getComputedStyle(canvas).color;
}
