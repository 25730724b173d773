import type { Spread } from './figures.ts';

const BAR = { height: 26, gap: 10, left: 150, width: 420, right: 150, top: 44 };
/** These greys and this blue are distinguishable on white and on black. */
const STYLE = `text { font: 13px system-ui, sans-serif; fill: #777 } .title { font-weight: 600 }
  rect { fill: #9aa4b2 } .own { fill: #2f6fde } line { stroke: #777; stroke-width: 1.5 }`;

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** An SVG bar chart of medians with their spread. The bar named `own` is coloured. */
export function barChart(title: string, unit: string, bars: Record<string, Spread>, own: string): string {
  const entries = Object.entries(bars);
  const most = Math.max(...entries.map(([, { max }]) => max));
  const x = (value: number) => (BAR.left + (value / most) * BAR.width).toFixed(1);
  const height = BAR.top + entries.length * (BAR.height + BAR.gap);
  const width = BAR.left + BAR.width + BAR.right;
  const lines = entries.map(([name, { median, min, max }], i) => {
    const y = BAR.top + i * (BAR.height + BAR.gap);
    const middle = y + BAR.height / 2;
    return `  <text x="${BAR.left - 10}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>
  <rect${name === own ? ' class="own"' : ''} x="${BAR.left}" y="${y}" width="${(Number(x(median)) - BAR.left).toFixed(1)}" height="${BAR.height}"/>
  <line x1="${x(min)}" x2="${x(max)}" y1="${middle}" y2="${middle}"/>
  <text x="${Number(x(max)) + 8}" y="${middle + 4}">${median.toPrecision(3)} ${escaped(unit)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>${escaped(title)}</title>
  <style>${STYLE}</style>
  <text class="title" x="10" y="24">${escaped(title)}: median, minimum and maximum of all rounds</text>
${lines.join('\n')}
</svg>
`;
}
