import type { Guard } from '../guard.ts';

/** The Helm chart, whose values people commit and Helm stores. */
export const KUBERNETES_GUARDS: readonly Guard[] = [
  {
    name: 'chart: values take no secret',
    file: 'docs/generate/helm-chart.ts',
    text: 'filter((name) => !SECRET.test(name))',
    without: 'filter(() => true)',
    attack: { file: 'test/unit/helm-chart.test.ts', name: 'include no name that sounds secret' },
  },
];
