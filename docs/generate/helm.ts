import { readFileSync, writeFileSync } from 'node:fs';
import { withSettings, withValuesTable } from './helm-chart.ts';

/** Writes the settings into the schema of the Helm chart's values, and the table of values into docs/kubernetes.md. */
const file = (path: string) => new URL(`../../${path}`, import.meta.url);
const schema = file('deploy/helm/corridor/values.schema.json');
const page = file('docs/kubernetes.md');
const read = (url: URL) => readFileSync(url, 'utf8');

writeFileSync(schema, `${formatted(withSettings(JSON.parse(read(schema))))}\n`);
writeFileSync(page, withValuesTable(read(page), read(file('deploy/helm/corridor/values.yaml'))));
process.stdout.write('values.schema.json and the table of docs/kubernetes.md are written\n');

/** JSON as Biome formats it: what fits into a line is on one. */
function formatted(value: unknown, indent = '', key = ''): string {
  const flat = inOneLine(value);
  if (`${indent}${key}${flat},`.length <= 110 || typeof value !== 'object' || value === null)
    return key + flat;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatted(item, deeper))
    : Object.entries(value).map(([name, item]) => formatted(item, deeper, `${JSON.stringify(name)}: `));
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${key}${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
}

function inOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${inOneLine(item)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
