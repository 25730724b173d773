/** One value of a metric. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** A metric as the text format of Prometheus declares it, with its values. */
export interface Family {
  name: string;
  type: string;
  help: string;
  samples: Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;
const OF_HISTOGRAM = /_(bucket|sum|count)$/;

/** Reads the text format. Throws on an invalid line, and on a family that is declared twice or after its values. */
export function readExposition(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let helped: { name: string; help: string } | undefined;
  for (const line of text.split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') helped = { name, help: rest };
    else if (keyword === 'TYPE') {
      if (families.has(name)) throw new Error(`${name} is declared twice`);
      families.set(name, {
        name,
        type: rest,
        help: helped?.name === name ? helped.help : '',
        samples: [],
      });
    } else if (line !== '' && !line.startsWith('#')) {
      const sample = readSample(line);
      const family = families.get(sample.name) ?? families.get(sample.name.replace(OF_HISTOGRAM, ''));
      if (!family) throw new Error(`${sample.name} is not declared`);
      family.samples.push(sample);
    }
  }
  return families;
}

function readSample(line: string): Sample {
  const [, name, inside = '', number] = SAMPLE.exec(line) ?? [];
  if (!name || !number) throw new Error(`This line is not a sample: ${line}`);
  const labels: Record<string, string> = {};
  let read = 0;
  for (const [whole, label, value] of inside.matchAll(LABEL)) {
    if (label === undefined || value === undefined) continue;
    labels[label] = value.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
    read += whole.length;
  }
  if (read !== inside.length) throw new Error(`This line has invalid labels: ${line}`);
  return { name, labels, value: Number(number.replace('+Inf', 'Infinity').replace('-Inf', '-Infinity')) };
}
