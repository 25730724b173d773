import type { Logger } from 'pino';
import type { TraceSettings } from './settings.ts';
import { installTracing } from './tracing.ts';

/** From now on this process takes traces, where that is set. Gives what ends it. */
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
