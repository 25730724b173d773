import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

export const inProject = (path: string): string => join(PROJECT, path);
export const textOf = (path: string): string => readFileSync(inProject(path), 'utf8');
/** Resolves anchors and merges, as Compose does. */
export const yamlOf = (path: string) => parse(textOf(path), { merge: true });

export interface Alert {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

export const alerts = (): Alert[] =>
  yamlOf('ops/prometheus/alerts.yml').groups.flatMap(({ rules }: { rules: Alert[] }) => rules);

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

export const DASHBOARD = 'ops/grafana/dashboards/corridor.json';

/** The queries of the dashboard, as Grafana sends them without a selection. */
export function dashboardQueries(): { panel: string; expr: string }[] {
  const { panels }: { panels: Panel[] } = JSON.parse(textOf(DASHBOARD));
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: title,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.+'),
    })),
  );
}
