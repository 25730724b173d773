import { SETTING_NAMES } from '../../src/settings/names.ts';
import { code, table } from './markdown.ts';

/** The chart of `deploy/helm/corridor`: what is generated from the settings and from `values.yaml`. */

/** Settings that the chart sets itself, that it takes from Secrets of its own, or that have no use in a pod. */
const OWN = [
  ...['NODE_ENV', 'HOST', 'PORT', 'METRICS_HOST', 'METRICS_PORT', 'DATA_DIR', 'WORKER_RELEASE'],
  ...['DATABASE_URL', 'DATABASE_READER_URL', 'DATABASE_OWNER_URL'],
  ...['ADMIN_API_KEY', 'WEBHOOK_SECRET', 'COMMAND_SECRET'],
  ...['CRASH_POINTS', 'TEMPORAL_UI_PORT'],
];
/** Values are stored with the release, and people commit them: these settings may only come from a Secret. */
const SECRET = /(_SECRET|_API_KEY)(_SECOND)?$|_KEY_DATA$|_ACCESS_KEY(_ID)?$/;
/** URLs of other parties' services, which may contain a key. */
const MAY_HOLD_KEY = /_RPC_URL$|^PRICE_SOURCE_URL$|^RECIPIENT_RESOLVER_URL$/;
/** OpenTelemetry's exporter reads these itself. The headers may contain a key. */
const OF_EXPORTER = ['CERTIFICATE', 'COMPRESSION', 'TIMEOUT'].map((name) => `OTEL_EXPORTER_OTLP_${name}`);
const EXPORTER_HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS';

const offered = [...SETTING_NAMES].filter((name) => !OWN.includes(name));

/** The settings that `settings` in the chart's values takes. */
export const plainSettings = [
  ...offered.filter((name) => !SECRET.test(name)),
  ...OF_EXPORTER,
  'OTEL_RESOURCE_ATTRIBUTES',
].sort();

/** The settings that `secret.settings` in the chart's values takes. */
export const secretSettings = [
  ...offered.filter((name) => SECRET.test(name) || MAY_HOLD_KEY.test(name)),
  EXPORTER_HEADERS,
].sort();

/** The part of `values.schema.json` that is generated. */
export interface ValuesSchema {
  properties: {
    settings: { properties: Record<string, object> };
    secret: { properties: { settings: { items: { enum: string[] } } } };
  };
}

/** The schema with the settings that exist. A setting that has a schema of its own keeps it. */
export function withSettings<Schema extends ValuesSchema>(schema: Schema): Schema {
  const complete = structuredClone(schema);
  const { settings, secret } = complete.properties;
  const before = settings.properties;
  settings.properties = Object.fromEntries(
    plainSettings.map((name) => [name, before[name] ?? { $ref: '#/definitions/text' }]),
  );
  secret.properties.settings.items.enum = secretSettings;
  return complete;
}

interface Value {
  path: string;
  comment: string;
  /** As it is written in the file; for a group of values, its lines. */
  byDefault: string[];
}

/** Indentation and a comment, or a key and perhaps its value. */
const LINE = /^( *)(?:# (.+)|([A-Za-z_]+):(?: (.+))?)$/;

/** Every value of `values.yaml` that has a comment. */
export function documentedValues(valuesYaml: string): Value[] {
  const values: Value[] = [];
  const keys: string[] = [];
  let comment = '';
  for (const line of valuesYaml.split('\n')) {
    const [, indent = '', text, key, value] = LINE.exec(line) ?? [];
    if (text !== undefined) comment = comment ? `${comment} ${text}` : text;
    if (key !== undefined) {
      keys.splice(indent.length / 2, Number.POSITIVE_INFINITY, key);
      const path = keys.join('.');
      const group = values.at(-1);
      if (comment) values.push({ path, comment, byDefault: value === undefined ? [] : [value] });
      else if (group && value !== undefined && path.startsWith(`${group.path}.`))
        group.byDefault.push(`${key}: ${value}`);
    }
    if (text === undefined) comment = '';
  }
  return values;
}

/** The table of values in docs/kubernetes.md. */
export const valuesTable = (valuesYaml: string): string =>
  table(
    ['value', 'default', 'meaning'],
    documentedValues(valuesYaml).map(({ path, comment, byDefault }) => [
      code(path),
      byDefault.map(code).join(', ') || '–',
      comment,
    ]),
  );

const BEGIN = '<!-- values -->';
const END = '<!-- /values -->';

/** The page with the table between its two marks. */
export function withValuesTable(page: string, valuesYaml: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`the page lacks ${BEGIN} or ${END}`);
  return `${before}${BEGIN}\n${valuesTable(valuesYaml)}\n${END}${after}`;
}
