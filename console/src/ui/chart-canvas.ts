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
import { count } from '../format.ts';
import type { ChartProps } from './chart.tsx';

// Only what is used: the rest of the library stays out of the page.
Chart.register(
  ...[BarController, BarElement, LineController, LineElement, PointElement],
  ...[CategoryScale, LinearScale, Legend, Tooltip],
);

/** Lines are told apart by more than their colour. */
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

export interface Drawn {
  /** Draws these values, in the colours that hold now. */
  draw: (props: ChartProps) => void;
  destroy: () => void;
}

export function chartOn(canvas: HTMLCanvasElement): Drawn {
  const chart = new Chart<'line' | 'bar', (number | null)[], string>(canvas, {
    type: 'line',
    data: { labels: [], datasets: [] },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: 'index', intersect: false },
    },
  });
  const draw = ({ kind, labels, series, format = count }: ChartProps) => {
    const [text, grid] = [colour(canvas, 'quiet'), colour(canvas, 'line')];
    chart.data = {
      labels,
      datasets: series.map(({ name, values, tone }, i) => ({
        ...{ type: kind, label: name, data: values },
        ...{ borderColor: colour(canvas, tone), backgroundColor: colour(canvas, tone) },
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

/** A colour of the style sheet as it is in the light or the dark: a canvas knows nothing of variables. */
function colour(canvas: HTMLCanvasElement, name: string): string {
  canvas.style.color = `var(--${name})`;
  return getComputedStyle(canvas).color;
}
