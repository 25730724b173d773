import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { alerts, DASHBOARD, dashboardQueries, inProject, textOf, yamlOf } from '../support/ops-files.ts';
import { selectionsOf } from '../support/promql.ts';

/** The files for operators: runbook, alerts, dashboard and Compose profile. Checked without running Prometheus or Grafana. */

const compose = yamlOf('docker-compose.yml');
const prometheus = yamlOf('ops/prometheus/prometheus.yml');

test('the runbook has one section for each alert, and no other', () => {
  const headings = [...textOf('ops/runbook.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(alerts().map(({ alert }) => alert));
  for (const { alert, annotations, labels } of alerts()) {
    // Like Markdown's anchors of headings.
    const anchor = `ops/runbook.md#${alert.toLowerCase()}`;
    expect(annotations.runbook_url).toBe(`{{ $externalLabels.runbook_base }}${anchor}`);
    expect(annotations.summary).not.toBe('');
    expect(['critical', 'warning']).toContain(labels.severity);
  }
});

test('the links of the alerts begin with an address that the operator sets in one place', () => {
  expect(prometheus.global.external_labels).toEqual({ runbook_base: '' });
});

test('the runbook begins with the command that explains an order', () => {
  const [beginning = ''] = textOf('ops/runbook.md').split(/^## /m);
  expect(beginning).toContain('npm run admin -- why 42');
});

test('every section of the runbook has text', () => {
  const sections = textOf('ops/runbook.md')
    .split(/^## .+$/m)
    .slice(1);
  for (const section of sections) expect(section.trim().length).toBeGreaterThan(80);
});

test('every query is valid', () => {
  const queries = [...dashboardQueries(), ...alerts()].map(({ expr }) => expr);
  expect(queries.length).toBeGreaterThan(60);
  for (const query of queries) expect(selectionsOf(query)).not.toEqual([]);
  expect(() => selectionsOf('sum by (status (corridor_orders)')).toThrow('Invalid PromQL');
});

test('the dashboard has a separate position for each panel, and names its data source only by the variable', () => {
  const { panels, templating } = JSON.parse(textOf(DASHBOARD));
  expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
  const taken = new Set<string>();
  for (const { gridPos, type, datasource } of panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`)).toBe(false);
        taken.add(`${x} ${y}`);
      }
    }
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    if (type !== 'row') expect(datasource.uid).toMatch(/^\$\{datasource\}$/);
  }
  const variables = templating.list.map(({ name }: { name: string }) => name);
  const used = new Set([...textOf(DASHBOARD).matchAll(/\$\{?([a-z]+)\b/g)].map(([, name]) => name));
  expect([...used].sort()).toEqual([...variables].sort());
});

test('a profile starts Prometheus and Grafana with their files mounted', () => {
  const observability = Object.entries<{ profiles?: string[]; ports?: string[] }>(compose.services).filter(
    ([, { profiles }]) => profiles !== undefined,
  );
  expect(observability.map(([name, { profiles }]) => [name, profiles])).toEqual([
    ['prometheus', ['observability']],
    ['grafana', ['observability']],
  ]);
  // Neither of them requires a password.
  for (const [, { ports = [] }] of observability) {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  }
  const mounted = Object.values<{ volumes?: string[] }>(compose.services)
    .flatMap(({ volumes = [] }) => volumes)
    .map((volume) => volume.split(':')[0] as string);
  const [paths, volumes] = [
    mounted.filter((path) => path.startsWith('./')),
    mounted.filter((path) => !path.startsWith('./')),
  ];
  expect(paths.length).toBeGreaterThanOrEqual(6);
  for (const path of paths) expect([path, existsSync(inProject(path))]).toEqual([path, true]);
  for (const volume of volumes) expect(Object.keys(compose.volumes)).toContain(volume);
});

test('references between the files are valid', () => {
  const { prometheus: server, grafana, api, worker } = compose.services;
  const [scrape] = prometheus.scrape_configs;
  const [{ names, port }] = scrape.dns_sd_configs;
  // Prometheus scrapes exactly the processes that exist, at the ports where they serve metrics.
  for (const service of [api, worker]) {
    expect(service.environment).toMatchObject({ METRICS_HOST: '0.0.0.0', METRICS_PORT: String(port) });
    expect(service.ports).toBeUndefined();
  }
  expect(names).toEqual(['api', 'worker']);
  expect(alerts().find(({ expr }) => expr.startsWith('up'))?.expr).toContain(`job="${scrape.job_name}"`);

  const target = (service: { volumes: string[] }, source: string) =>
    service.volumes.find((volume) => volume.startsWith(`${source}:`))?.split(':')[1];
  const configuration = target(server, './ops/prometheus/prometheus.yml');
  expect(server.command).toContain(`--config.file=${configuration}`);
  expect(prometheus.rule_files).toEqual(['alerts.yml']);
  expect(target(server, './ops/prometheus/alerts.yml')).toBe('/etc/prometheus/alerts.yml');
  expect(configuration).toBe('/etc/prometheus/prometheus.yml');

  const [provider] = yamlOf('ops/grafana/provisioning/dashboards/corridor.yml').providers;
  expect(target(grafana, './ops/grafana/dashboards')).toBe(provider.options.path);
  expect(target(grafana, './ops/grafana/provisioning')).toBe('/etc/grafana/provisioning');
  expect(grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(
    `${provider.options.path}/corridor.json`,
  );
  const [source] = yamlOf('ops/grafana/provisioning/datasources/prometheus.yml').datasources;
  expect(server.ports).toContain(`127.0.0.1:${new URL(source.url).port}:9090`);
  expect(Object.keys(compose.services)).toContain(new URL(source.url).hostname);
});
