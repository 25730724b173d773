import { readlinkSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import {
  documentedValues,
  plainSettings,
  secretSettings,
  withSettings,
  withValuesTable,
} from '../../docs/generate/helm-chart.ts';
import { SETTING_NAMES } from '../../src/settings/names.ts';
import { CHART, FULL, MINIMAL, merged, valuesOfPage, valuesWith, type Yaml } from '../support/helm-chart.ts';
import { inProject, textOf } from '../support/ops-files.ts';

/** The Helm chart without Helm: its values, their schema and their documents. `test/system/helm` renders it. */

const schema = JSON.parse(textOf(`${CHART}/values.schema.json`));
const accepts = new Ajv({ allErrors: true, strictRequired: false, allowUnionTypes: true }).compile(schema);
/** Where the schema refuses the values. */
const refusedAt = (values: Yaml): string[] =>
  accepts(values) ? [] : (accepts.errors ?? []).map(({ instancePath }) => instancePath);

test('the schema has the settings that exist; if not, run "npm run docs:helm"', () => {
  expect(schema).toEqual(withSettings(schema));
});

test('the page has the table of the values; if not, run "npm run docs:helm"', () => {
  const page = textOf('docs/kubernetes.md');
  expect(page).toBe(withValuesTable(page, textOf(`${CHART}/values.yaml`)));
});

test('a comment may have several lines', () => {
  const yaml = '# The header of the file\n\nport:\n  # Where it\n  # listens\n  inside: 80\n  outside: 443\n';
  expect(documentedValues(yaml)).toEqual([
    { path: 'port.inside', comment: 'Where it listens', byDefault: ['80'] },
  ]);
});

test('every value has a comment, and the schema has exactly the values that exist', () => {
  const documented = documentedValues(textOf(`${CHART}/values.yaml`)).map(({ path }) => path);
  const leaves = leavesOf(schema).filter((path) => path !== 'global' && !/^settings\./.test(path));
  expect(documented.filter((path) => !/^settings(\.|$)/.test(path)).sort()).toEqual(leaves.sort());
});

/** The paths of the schema's values. A value of a shared definition is one value. */
const leavesOf = ({ properties }: Yaml, at = ''): string[] =>
  Object.entries<Yaml>(properties).flatMap(([key, value]) =>
    value.properties ? leavesOf(value, `${at}${key}.`) : [`${at}${key}`],
  );

test.each([MINIMAL, FULL])('the schema accepts the defaults with %s', (file) => {
  expect(refusedAt(valuesWith(file))).toEqual([]);
});

test('the schema accepts the values of the page', () => {
  expect(refusedAt(merged(valuesWith(), valuesOfPage()))).toEqual([]);
});

test('the schema refuses the defaults, because they lack what only the operator knows', () => {
  expect(new Set(refusedAt(valuesWith()))).toEqual(
    new Set([
      ...['/image/repository', '/image/tag', '/secret/name', '/migrate/secret'],
      ...['/settings/PUBLIC_URL', '/settings/TEMPORAL_ADDRESS', '/settings/SANDBOX'],
    ]),
  );
});

describe('the schema refuses a misspelt value', () => {
  const full = valuesWith(FULL);
  test.each(documentedValues(textOf(`${CHART}/values.yaml`)).map(({ path }) => path))('%s', (path) => {
    const keys = path.split('.');
    const misspelt = structuredClone(full);
    const parent = keys.slice(0, -1).reduce((value, key) => value[key], misspelt);
    parent[`${keys.at(-1)}s`] = parent[keys.at(-1) as string];
    expect(refusedAt(misspelt)).toEqual([
      keys
        .slice(0, -1)
        .map((key) => `/${key}`)
        .join(''),
    ]);
  });
});

describe('settings of the chart', () => {
  test.each(['PLATFORM_FEE_BP', 'CRASH_POINTS', 'PORT', 'DATABASE_URL', 'ADMIN_API_KEY'])(
    'do not include %s',
    (name) => {
      expect(refusedAt(merged(valuesWith(MINIMAL), { settings: { [name]: '1' } }))).toEqual(['/settings']);
    },
  );

  test.each([true, 1])('are texts, and not %s', (value) => {
    const numeric = { settings: { PLATFORM_FEE_BPS: value } };
    expect(refusedAt(merged(valuesWith(MINIMAL), numeric))).toEqual(['/settings/PLATFORM_FEE_BPS']);
  });

  // A new setting with such a name would otherwise be stored with the release, and committed with the values.
  test('include no name that sounds secret', () => {
    const secret = [...SETTING_NAMES].filter((name) => /SECRET|PASSWORD|TOKEN$|API_KEY|KEY_DATA/.test(name));
    expect(secret.length).toBeGreaterThan(10);
    expect(plainSettings.filter((name) => secret.includes(name))).toEqual([]);
    expect(secretSettings).toContain('OIDC_CLIENT_SECRET');
  });
});

test.each([
  ['files/alerts.yml', 'ops/prometheus/alerts.yml'],
  ['files/corridor.json', 'ops/grafana/dashboards/corridor.json'],
])('%s is a link to the file of the operators', (link, target) => {
  expect(readlinkSync(inProject(`${CHART}/${link}`))).toBe(`../../../../${target}`);
  expect(textOf(`${CHART}/${link}`)).toBe(textOf(target));
});

test('the chart has the version of Corridor', () => {
  const { version, appVersion } = parse(textOf(`${CHART}/Chart.yaml`));
  const corridor = JSON.parse(textOf('package.json'));
  expect([version, appVersion]).toEqual([corridor.version, corridor.version]);
});
