import { spawnSync } from 'node:child_process';
import { parse, parseAllDocuments } from 'yaml';
import { inProject, textOf } from './ops-files.ts';

export const CHART = 'deploy/helm/corridor';
export const MINIMAL = `${CHART}/ci/minimal-values.yaml`;
export const FULL = `${CHART}/ci/full-values.yaml`;

// biome-ignore lint/suspicious/noExplicitAny: YAML with the shapes of Kubernetes
export type Yaml = any;

export interface Rendered {
  /** Empty: Helm has rendered the chart. */
  refusal: string;
  text: string;
  manifests: Yaml[];
}

/** Renders the chart with the files of values, and with single values as `--set-json` takes them. */
export function render(helm: string, files: string[], values: string[] = [], chart = CHART): Rendered {
  const args = ['template', 'corridor', inProject(chart), '--namespace', 'corridor'];
  for (const file of files) args.push('--values', inProject(file));
  for (const value of values) args.push('--set-json', value);
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8' });
  return {
    refusal: status === 0 ? '' : stderr,
    text: stdout,
    manifests: status === 0 ? manifestsIn(stdout) : [],
  };
}

const manifestsIn = (text: string): Yaml[] =>
  parseAllDocuments(text).flatMap((document) => document.toJS() ?? []);

/** The values that docs/kubernetes.md shows. */
export function valuesOfPage(): Yaml {
  const [, example = ''] = /^```yaml values\n([\s\S]*?)^```$/m.exec(textOf('docs/kubernetes.md')) ?? [];
  return parse(example);
}

/** The chart's defaults with the file's values over them, as Helm merges them. */
export function valuesWith(...files: string[]): Yaml {
  return [`${CHART}/values.yaml`, ...files].map((file) => parse(textOf(file))).reduce(merged);
}

export function merged(below: Yaml, above: Yaml): Yaml {
  if (!isMap(below) || !isMap(above)) return above;
  const changed = Object.entries(above).map(([key, value]) => [key, merged(below[key], value)]);
  return { ...below, ...Object.fromEntries(changed) };
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The pods that the manifests create, with the manifest's name. */
export function podsIn(manifests: Yaml[]): { name: string; pod: Yaml }[] {
  return manifests.flatMap(({ metadata, spec }) =>
    spec?.template ? [{ name: metadata.name, pod: spec.template }] : [],
  );
}

/** What keeps a pod's specification from the restricted security standard of Kubernetes; empty: nothing. */
export function faultsUnderRestricted(spec: Yaml): string[] {
  const faults: string[] = [];
  const unless = (is: boolean, fault: string) => void (is || faults.push(fault));
  const own = spec.securityContext ?? {};
  for (const name of ['hostNetwork', 'hostPID', 'hostIPC']) unless(!spec[name], name);
  unless(!own.sysctls, 'sysctls');
  for (const { name, ...source } of spec.volumes ?? [])
    unless(
      Object.keys(source).every((kind) => ALLOWED_VOLUMES.includes(kind)),
      `volume ${name}`,
    );
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const context = { ...own, ...container.securityContext };
    const { add = [], drop = [] } = context.capabilities ?? {};
    unless(context.runAsNonRoot === true && context.runAsUser !== 0, 'may run as root');
    unless(context.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation');
    unless(!context.privileged && !context.procMount, 'privileged or procMount');
    unless(drop.includes('ALL') && add.length === 0, 'capabilities');
    unless(['RuntimeDefault', 'Localhost'].includes(context.seccompProfile?.type), 'seccompProfile');
    for (const port of container.ports ?? []) unless(!port.hostPort, 'hostPort');
  }
  return faults;
}

const ALLOWED_VOLUMES = [
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral'],
  ...['persistentVolumeClaim', 'projected', 'secret'],
];
