import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { CHART, FULL, MINIMAL, podsIn, render, valuesOfPage, type Yaml } from '../../support/helm-chart.ts';
import { findHelmTools, type HelmTools } from '../../support/helm-tools.ts';
import { inProject, textOf, yamlOf } from '../../support/ops-files.ts';

/** What Helm makes of the chart. */

const tools = await findHelmTools();
const { helm, python } = tools ?? ({} as HelmTools);
/** The oldest Kubernetes that docs/kubernetes.md names, and the newest with schemas. */
const KUBERNETES = ['1.27', '1.37'];

(tools ? describe : describe.skip)('the Helm chart', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'corridor-helm-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const minimal = () => render(helm, [MINIMAL]);
  const full = () => render(helm, [FULL]);
  const ofKind = (manifests: Yaml[], kind: string) => manifests.filter((one) => one.kind === kind);

  test.each([MINIMAL, FULL])('passes lint with %s', (file) => {
    const { status, stdout } = spawnSync(
      helm,
      ['lint', '--strict', inProject(CHART), '--values', inProject(file)],
      { encoding: 'utf8' },
    );
    expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  test('is the same as a package, which contains the files behind the links', () => {
    spawnSync(helm, ['package', inProject(CHART), '--destination', folder]);
    const { version } = yamlOf(`${CHART}/Chart.yaml`);
    const unpacked = spawnSync('tar', ['-xzf', join(folder, `corridor-${version}.tgz`), '-C', folder]);
    expect(unpacked.status).toBe(0);
    const args = ['template', 'corridor', join(folder, 'corridor'), '--namespace', 'corridor', '--values'];
    const { stdout } = spawnSync(helm, [...args, inProject(FULL)], { encoding: 'utf8' });
    expect(stdout).toBe(full().text);
    const listed = spawnSync('tar', ['-tzf', join(folder, `corridor-${version}.tgz`)], { encoding: 'utf8' });
    expect(listed.stdout).not.toContain('ci/');
  });

  test('creates the least that an installation needs, and with all values every part', () => {
    const names = (manifests: Yaml[]) => manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const least = [
      ...['Deployment corridor-api', 'Service corridor-api', 'Deployment corridor-worker'],
      ...['PodDisruptionBudget corridor-api', 'PodDisruptionBudget corridor-worker', 'Job corridor-migrate'],
      ...['NetworkPolicy corridor-api', 'NetworkPolicy corridor-worker', 'NetworkPolicy corridor-migrate'],
    ];
    expect(names(minimal().manifests).sort()).toEqual(least.sort());
    expect(names(full().manifests).sort()).toEqual(
      [
        ...least.filter((name) => name !== 'Deployment corridor-worker'),
        ...['Deployment corridor-worker-2026-03-01', 'Deployment corridor-worker-2026-04-01'],
        ...['HorizontalPodAutoscaler corridor-api', 'HorizontalPodAutoscaler corridor-worker'],
        ...[
          'Service corridor-api-metrics',
          'Service corridor-worker-metrics',
          'ConfigMap corridor-dashboard',
        ],
        ...['ServiceMonitor corridor', 'PrometheusRule corridor'],
      ].sort(),
    );
  });

  test('accepts the values of the page', () => {
    const values = Object.entries(valuesOfPage()).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const { refusal, manifests } = render(helm, [], values);
    expect(refusal).toBe('');
    expect(manifests).toHaveLength(9);
  });

  test('is refused with its defaults, with a line for each value that the operator must set', () => {
    const { refusal } = render(helm, []);
    const paths = ['image/repository', 'image/tag', 'secret/name', 'migrate/secret', 'settings/SANDBOX'];
    for (const path of paths) expect(refusal).toMatch(new RegExp(`${path.replace('/', '[/.]')}`));
  });

  test.each([
    ['replica=3', "additional properties 'replica' not allowed"],
    ['settings.PLATFORM_FEE_BP="50"', "additional properties 'PLATFORM_FEE_BP' not allowed"],
    ['settings.WEBHOOK_SECRET="0123456789abcdef"', "additional properties 'WEBHOOK_SECRET' not allowed"],
    ['settings.PLATFORM_FEE_BPS=50', 'got number, want string'],
    ['receipts.existingClaim=""', 'receipts need a place that all pods share'],
    [
      'settings.RECEIPTS_S3_BUCKET="receipts"',
      'also need RECEIPTS_S3_ENDPOINT, RECEIPTS_S3_REGION, RECEIPTS_',
    ],
    ['secret.settings=["PRICE_SOURCE_URL","ADMIN_API_KEY"]', 'value must be one of'],
    ['networkPolicy.temporal=[]', 'networkPolicy.temporal must name its peers'],
    ['networkPolicy.callers=[{"podSelektor":{}}]', "additional properties 'podSelektor' not allowed"],
    ['worker.previous={"release":"a","tag":"1"}', 'worker.previous.release needs worker.release'],
    ['worker.previous.tag="1"', 'need each other'],
    ['api.autoscaling.minReplicas=9', 'api.autoscaling.minReplicas must not exceed maxReplicas'],
  ])('is refused with %s', (value, message) => {
    expect(render(helm, [MINIMAL], [value]).refusal).toContain(message);
  });

  test.each([
    ['receipts.existingClaim="receipts"', 'receipts have one place'],
    ['settings.CHAIN_ETH_RPC_URL="https://node.example"', 'CHAIN_ETH_RPC_URL is in settings and in secret'],
    ['worker.previous.release="2026-04-01"', 'worker.previous.release must differ from worker.release'],
  ])('is refused with all values and %s', (value, message) => {
    expect(render(helm, [FULL], [value]).refusal).toContain(message);
  });

  const validate = async (text: string, version: string) => {
    const file = join(folder, 'manifests.yaml');
    await writeFile(file, text);
    const args = ['-m', 'kubernetes_validate', '--strict', '--kubernetes-version', version, file];
    const { status, stdout } = spawnSync(python, args, { encoding: 'utf8' });
    const lines = (start: string) => stdout.split('\n').filter((line) => line.startsWith(start));
    return { status, passed: lines('INFO').length, errors: lines('ERROR'), unknown: lines('WARN') };
  };

  test.each(KUBERNETES)('has manifests that are valid in Kubernetes %s', async (version) => {
    const [least, all] = [minimal(), full()];
    const valid = { status: 0, errors: [] };
    const passed = least.manifests.length;
    expect(await validate(least.text, version)).toEqual({ ...valid, passed, unknown: [] });
    expect(await validate(all.text, version)).toEqual({
      ...valid,
      passed: all.manifests.length - 2,
      unknown: ['PrometheusRule', 'ServiceMonitor'].map((kind) => expect.stringContaining(`kind ${kind} `)),
    });

    const misspelt = await validate(least.text.replace('enableServiceLinks', 'enableServiceLink'), version);
    expect(misspelt).toMatchObject({ status: 1, passed: passed - 1 });
    expect(misspelt.errors).toEqual([expect.stringContaining('enableServiceLink')]);
  });

  test('selects pods that exist, and each port by a name that the pod has', () => {
    for (const { manifests } of [minimal(), full()]) {
      const pods = podsIn(manifests).map(({ pod }) => pod);
      const selected = ({ matchLabels }: Yaml) =>
        pods.filter(({ metadata }) =>
          Object.entries(matchLabels).every(([key, value]) => metadata.labels[key] === value),
        );
      for (const { spec } of ofKind(manifests, 'Service')) {
        const found = selected({ matchLabels: spec.selector });
        expect(found.length).toBeGreaterThan(0);
        for (const { targetPort } of spec.ports)
          for (const { spec: pod } of found)
            expect(pod.containers[0].ports.map(({ name }: Yaml) => name)).toContain(targetPort);
      }
      for (const { spec } of ofKind(manifests, 'PodDisruptionBudget'))
        expect(selected(spec.selector)).not.toEqual([]);
      for (const { spec } of ofKind(manifests, 'NetworkPolicy'))
        expect(selected(spec.podSelector)).not.toEqual([]);
      for (const { spec } of ofKind(manifests, 'Deployment')) expect(selected(spec.selector)).toHaveLength(1);
      const deployments = ofKind(manifests, 'Deployment');
      for (const { spec } of ofKind(manifests, 'HorizontalPodAutoscaler')) {
        const target = deployments.find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
        expect(target.spec).not.toHaveProperty('replicas');
      }
      for (const { spec } of ofKind(manifests, 'ServiceMonitor'))
        expect(
          ofKind(manifests, 'Service').filter(({ metadata }) =>
            Object.entries(spec.selector.matchLabels).every(([key, value]) => metadata.labels[key] === value),
          ),
        ).toHaveLength(2);
    }
  });

  test('gives pods at least the time to stop that Compose gives, after the pause of the API', () => {
    const seconds = (text: string) => Number.parseInt(text, 10);
    const { services } = yamlOf('docker-compose.yml');
    for (const { name, pod } of podsIn(minimal().manifests)) {
      const service = services[name.replace('corridor-', '')];
      if (!service.stop_grace_period) continue;
      const [{ command, lifecycle }] = pod.spec.containers;
      expect(command).toEqual(service.command);
      const pause = seconds(lifecycle?.preStop.exec.command[1] ?? '0');
      expect(pod.spec.terminationGracePeriodSeconds - pause).toBeGreaterThanOrEqual(
        seconds(service.stop_grace_period),
      );
    }
  });

  test('has the alerts, the dashboard and the scraping of ops', () => {
    const { manifests } = full();
    const [rule] = ofKind(manifests, 'PrometheusRule');
    const alerts = textOf('ops/prometheus/alerts.yml');
    const links = alerts.replaceAll(
      '{{ $externalLabels.runbook_base }}',
      'https://git.example/corridor/blob/main/',
    );
    expect(links).not.toBe(alerts);
    expect(stringify(rule.spec)).toBe(stringify(parse(links)));
    const [unlinked] = ofKind(render(helm, [FULL], ['metrics.runbookBase=""']).manifests, 'PrometheusRule');
    expect(unlinked.spec).toEqual(yamlOf('ops/prometheus/alerts.yml'));
    expect(ofKind(manifests, 'ConfigMap')[0].data['corridor.json']).toBe(
      textOf('ops/grafana/dashboards/corridor.json'),
    );
    const { global, scrape_configs } = yamlOf('ops/prometheus/prometheus.yml');
    expect(ofKind(manifests, 'ServiceMonitor')[0].spec.endpoints).toEqual([
      {
        port: 'metrics',
        interval: global.scrape_interval,
        scrapeTimeout: global.scrape_timeout,
        relabelings: [{ targetLabel: 'job', replacement: scrape_configs[0].job_name }],
      },
    ]);
  });

  test('scales workers by a metric of the dashboard', () => {
    const [, { spec }] = ofKind(full().manifests, 'HorizontalPodAutoscaler') as [Yaml, Yaml];
    const [cpu, ...slots] = spec.metrics;
    expect(cpu.resource.name).toBe('cpu');
    expect(slots.map(({ pods }: Yaml) => pods.metric.selector.matchLabels.worker_type)).toEqual([
      'ActivityWorker',
      'WorkflowWorker',
    ]);
    const dashboard = textOf('ops/grafana/dashboards/corridor.json');
    for (const { pods } of slots) expect(dashboard).toContain(pods.metric.name);
  });
});
