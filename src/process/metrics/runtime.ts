import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';

const NS_PER_S = 1e9;
const MS_PER_S = 1_000;
const US_PER_S = 1e6;
/** The resolution of event loop delays. */
const RESOLUTION_MS = 20;
const GC_BUCKETS = [0.001, 0.01, 0.1, 1, 10];
const GC_TYPES: Record<number, string> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** The process and its runtime, under OpenTelemetry's names. Returns the function that stops the observers. */
export function createRuntimeMetrics(registry: Registry): () => void {
  const registers = [registry];
  new Gauge({
    name: 'process_uptime_seconds',
    help: 'Uptime of the process',
    registers,
    collect() {
      this.set(process.uptime());
    },
  });
  new Gauge({
    name: 'process_memory_usage_bytes',
    help: 'Memory of the process (resident set)',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    name: 'process_cpu_time_seconds_total',
    help: 'CPU time of the process',
    labelNames: ['cpu_mode'],
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc({ cpu_mode: 'user' }, user / US_PER_S);
      this.inc({ cpu_mode: 'system' }, system / US_PER_S);
    },
  });
  new Gauge({
    name: 'v8js_memory_heap_used_bytes',
    help: 'Used heap memory by space',
    labelNames: ['v8js_heap_space_name'],
    registers,
    collect() {
      for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
        this.set({ v8js_heap_space_name: space_name }, space_used_size);
      }
    },
  });
  new Counter({
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Time that the event loop was active or idle',
    labelNames: ['nodejs_eventloop_state'],
    registers,
    collect() {
      const { active, idle } = performance.eventLoopUtilization();
      this.reset();
      this.inc({ nodejs_eventloop_state: 'active' }, active / MS_PER_S);
      this.inc({ nodejs_eventloop_state: 'idle' }, idle / MS_PER_S);
    },
  });
  const delays = watchEventLoopDelay(registers);
  const collections = watchGarbageCollection(registers);
  return () => {
    delays.disable();
    collections.disconnect();
  };
}

/** Measures the delay of timers since the last scrape. */
function watchEventLoopDelay(registers: Registry[]) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  new Gauge({
    name: 'nodejs_eventloop_delay_p99_seconds',
    help: '99th percentile of the delay of timers since the last scrape',
    registers,
    collect() {
      this.set(late(delays.percentile(99)));
    },
  });
  // Prometheus collects this gauge last, so this gauge resets the measurement for both.
  new Gauge({
    name: 'nodejs_eventloop_delay_max_seconds',
    help: 'Maximum delay of timers since the last scrape',
    registers,
    collect() {
      this.set(late(delays.max));
      delays.reset();
    },
  });
  return delays;
}

/** The histogram records the time between two timers, resolution included. */
const late = (ns: number) => Math.max(0, ns / NS_PER_S - RESOLUTION_MS / MS_PER_S);

function watchGarbageCollection(registers: Registry[]): PerformanceObserver {
  const durations = new Histogram({
    name: 'v8js_gc_duration_seconds',
    help: 'Duration of garbage collections',
    labelNames: ['v8js_gc_type'],
    buckets: GC_BUCKETS,
    registers,
  });
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as (PerformanceEntry & {
      detail?: { kind?: number };
    })[]) {
      durations.observe({ v8js_gc_type: GC_TYPES[detail?.kind ?? -1] ?? 'other' }, duration / MS_PER_S);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}
