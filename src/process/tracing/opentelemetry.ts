import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { context, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { Refusal } from '../../domain/errors.ts';
import type { TraceSettings } from './settings.ts';
import { readTraceparent, writeTraceparent } from './traceparent.ts';
import { markFailed, type SpanPlan, type Tracing } from './tracing.ts';

/** Spans are sent in batches after this delay. */
const BATCH_DELAY_MS = 1_000;
/** A stopping process waits at most this long for the endpoint. */
const CLOSE_TIMEOUT_MS = 2_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Tracing with OpenTelemetry's SDK, sent as OTLP over HTTP. The SDK's own environment variables still apply. */
export function createTracing(settings: TraceSettings, log: Logger): Tracing {
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  const exporter = loggingOnce(new OTLPTraceExporter({ url: settings.url }), log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
      .merge(
        resourceFromAttributes({
          'service.name': settings.serviceName,
          'service.instance.id': randomUUID(),
        }),
      ),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: BATCH_DELAY_MS })],
  });
  const tracer = provider.getTracer('corridor');
  const current = () => trace.getActiveSpan();

  return {
    span: <T>(
      { name, kind = 'internal', attributes = {}, parent, links = [] }: SpanPlan,
      work: (span: Span) => Promise<T>,
    ) => {
      const options = { kind: KINDS[kind], attributes, links: links.flatMap(linkTo) };
      const over = parent === undefined ? context.active() : contextOf(parent);
      return tracer.startActiveSpan(name, options, over, async (span) => {
        try {
          return await work(span);
        } catch (error) {
          recordFailure(span, error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
    past: ({ name, kind = 'internal', attributes = {} }, tookMs, failed) => {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime: Date.now() - tookMs });
      if (failed) markFailed(span, 'unknown');
      span.end();
    },
    current,
    traceparent: () => {
      const span = current();
      return span && writeTraceparent(span.spanContext());
    },
    link: (traceparent) => {
      for (const link of linkTo(traceparent)) current()?.addLink(link);
    },
    outside: (work) => context.with(ROOT_CONTEXT, work),
    close: async () => {
      const ended = new AbortController();
      await Promise.race([
        // By then, the exporter has logged a failed request.
        provider.shutdown().catch(() => undefined),
        delay(CLOSE_TIMEOUT_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined),
      ]);
      ended.abort();
      context.disable();
    },
  };
}

/** The context of a parent span, from its traceparent. */
function contextOf(traceparent: string | null) {
  const ids = readTraceparent(traceparent ?? undefined);
  return ids ? trace.setSpanContext(ROOT_CONTEXT, { ...ids, isRemote: true }) : ROOT_CONTEXT;
}

function linkTo(traceparent: string) {
  const ids = readTraceparent(traceparent);
  return ids ? [{ context: { ...ids, isRemote: true } }] : [];
}

/** Omits the message: the database's messages contain values of rows. A refusal is an answer, not a failure. */
function recordFailure(span: Span, error: unknown): void {
  const { code, name, category } = error as { code?: unknown; name?: string; category?: string };
  if (error instanceof Refusal || category === 'BENIGN') return;
  markFailed(span, typeof code === 'string' ? code : (name ?? 'unknown'));
}

function samplerOf({ sampler, samplingRatio }: TraceSettings): Sampler {
  const root = sampler.endsWith('always_off')
    ? new AlwaysOffSampler()
    : sampler.endsWith('always_on')
      ? new AlwaysOnSampler()
      : new TraceIdRatioBasedSampler(samplingRatio);
  return sampler.startsWith('parentbased') ? new ParentBasedSampler({ root }) : root;
}

/**
 * Logs once that the endpoint is unavailable, and once that it is available again. Spans that it does not accept are
 * dropped.
 */
function loggingOnce(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let failing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0;
        if (failed && !failing)
          log.warn(
            { err: result.error },
            'the endpoint does not accept traces: they are dropped until it does',
          );
        if (!failed && failing) log.info('the endpoint accepts traces again');
        failing = failed;
        done({ code: 0 });
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
