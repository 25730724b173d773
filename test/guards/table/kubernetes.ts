import { inFile } from '../guard.ts';

/** The Helm chart, whose values people commit and Helm stores. */
export const KUBERNETES_GUARDS = [
  ...inFile('docs/generate/helm-chart.ts', 'test/unit/helm-chart.test.ts', [
    ['chart: values take no secret', 'filter((name) => !SECRET.test(name))', 'filter(() => true)',
      'include no name that sounds secret']]),
];
