const GRPC_PERMISSION_DENIED = 7;
const GRPC_UNAUTHENTICATED = 16;

/**
 * Says in one line that Temporal does not let Corridor in, and which settings to look at. Undefined: it has not refused, so a
 * later try may succeed.
 */
export function whyRefused(error: unknown): string | undefined {
  const { code, details, cause } = error as { code?: unknown; details?: string; cause?: unknown };
  if (code === GRPC_UNAUTHENTICATED || code === GRPC_PERMISSION_DENIED)
    return `Temporal refuses Corridor's key or certificate (${details}). See TEMPORAL_API_KEY and TEMPORAL_TLS_… in docs/settings.md.`;
  return cause ? whyRefused(cause) : undefined;
}
