import type { Logger } from 'pino';
import type { TraceSettings } from './settings.ts';
import { installTracing } from './tracing.ts';

/** Starts tracing in this process if it is configured. Returns the function that stops it. */
export async function startTracing(
  settings: TraceSettings | undefined,
  log: Logger,
): Promise<() => Promise<void>> {
  if (!settings) return async () => undefined;
  const { createTracing } = await import('./opentelemetry.ts');
  const tracing = createTracing(settings, log);
  installTracing(tracing);
  return async () => {
    installTracing(undefined);
    await tracing.close();
  };
}
