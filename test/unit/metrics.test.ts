import { expect, test } from '@jest/globals';
import { Gauge, Histogram, Registry } from '@prometheus-io/client';
import { createWebhookMetrics } from '../../src/adapters/metrics/webhooks.ts';
import { createRequestMetrics } from '../../src/http/requests.ts';
import { readExposition } from '../support/exposition.ts';
import { found, selectionsOf } from '../support/promql.ts';

/** The readers of metrics and queries in the tests, and metrics with unexpected labels. */

test('the text format is read as the client library writes it', async () => {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({ name: 'odd', help: 'Odd ones', labelNames: ['a', 'b'], registers }).set(
    { a: 'x, y="z"}', b: 'back\\slash\nline' },
    1.5,
  );
  new Histogram({ name: 'took', help: 'How long', buckets: [1, 2], registers }).observe(1.5);
  const families = readExposition(await registry.metrics());
  expect(families.get('odd')).toEqual({
    ...{ name: 'odd', type: 'gauge', help: 'Odd ones' },
    samples: [{ name: 'odd', labels: { a: 'x, y="z"}', b: 'back\\slash\nline' }, value: 1.5 }],
  });
  expect(families.get('took')?.samples).toContainEqual({
    name: 'took_bucket',
    labels: { le: '2' },
    value: 1,
  });
  for (const wrong of ['# TYPE a gauge\n# TYPE a gauge', 'undeclared 1', '# TYPE a gauge\na{b=c} 1']) {
    expect(() => readExposition(wrong)).toThrow();
  }
});

test('a selector matches by name, labels and grouping', () => {
  const samples = [
    { name: 'up', labels: { job: 'corridor', part: 'api' }, value: 1 },
    { name: 'up', labels: { job: 'other' }, value: 1 },
  ];
  const findings = (query: string) =>
    selectionsOf(query).map((selection) => found(samples, selection).length);
  expect(findings('up')).toEqual([2]);
  expect(findings('up{job="corridor"} / up{job!="corridor"}')).toEqual([1, 1]);
  expect(findings('up{job=~"corr"}')).toEqual([0]);
  expect(findings('up{job=~"corr.+|x"} > up{part!~".+"}')).toEqual([1, 1]);
  expect(findings('sum by (part) (rate(up[5m]))')).toEqual([1]);
  expect(findings('sum without (part) (up)')).toEqual([2]);
  expect(findings('max by (nothing) (up)')).toEqual([0]);
});

test('the number of series does not depend on what callers send', async () => {
  const registry = new Registry();
  const metrics = createRequestMetrics(registry);
  for (const method of ['GET', 'PROPFIND', 'PURGE', 'M-SEARCH']) {
    metrics.began();
    metrics.answered({
      method,
      route: undefined,
      status: 404,
      code: 'not_found',
      isRoot: false,
      seconds: 0.001,
    });
  }
  metrics.began();
  const families = readExposition(await registry.metrics());
  const series = families.get('http_server_request_duration_seconds')?.samples;
  expect(series?.filter(({ name }) => name.endsWith('_count'))).toEqual(
    ['GET', '_OTHER'].map((http_request_method, i) => ({
      name: 'http_server_request_duration_seconds_count',
      labels: { http_request_method, http_route: 'none', http_response_status_code: '404' },
      value: i === 0 ? 1 : 3,
    })),
  );
  expect(families.get('http_server_active_requests')?.samples).toEqual([
    { name: 'http_server_active_requests', labels: {}, value: 1 },
  ]);
  const refused = families.get('corridor_refusals_total')?.samples;
  expect(refused?.find(({ labels }) => labels.code === 'not_found')?.value).toBe(4);
});

test('a webhook ends delivered or exhausted, and is late only if nobody requested a redelivery', async () => {
  const registry = new Registry();
  const metrics = createWebhookMetrics(registry);
  const answer = { error: null, body: null, durationMs: 20 };
  metrics.attempted({ ...answer, status: 204 });
  metrics.attempted({ ...answer, status: 500 });
  metrics.attempted({ ...answer, status: null });
  metrics.ended('delivered', 0.2);
  metrics.ended('delivered', null);
  metrics.ended('exhausted', 9);
  const families = readExposition(await registry.metrics());
  const counts = (name: string, label: string) =>
    Object.fromEntries(
      families
        .get(name)
        ?.samples.filter((sample) => !/_(bucket|sum)$/.test(sample.name))
        .map(({ labels, value }) => [labels[label] ?? '', value]) ?? [],
    );
  expect(counts('corridor_webhook_attempt_duration_seconds', 'outcome')).toEqual({
    ...{ accepted: 1, refused: 1, unreachable: 1 },
  });
  expect(counts('corridor_webhook_deliveries_total', 'state')).toEqual({ delivered: 2, exhausted: 1 });
  expect(counts('corridor_webhook_delivery_lag_seconds', 'none')).toEqual({ '': 1 });
});
