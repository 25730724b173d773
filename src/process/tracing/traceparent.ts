/** The ids of a span. */
export interface SpanIds {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** 1: the span is recorded. */
  traceFlags: number;
}

const VERSION = '00';
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a W3C `traceparent`. Returns undefined if it is invalid: as the standard says, a new trace then starts. */
export function readTraceparent(text: string | undefined): SpanIds | undefined {
  const [, version, traceId, spanId, flags, rest] = FORM.exec(text?.trim() ?? '') ?? [];
  if (!traceId || !spanId || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  // Later versions may append fields. This version has none.
  if (version === 'ff' || (version === VERSION && rest !== undefined)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '', 16) & 1 };
}

export const writeTraceparent = ({ traceId, spanId, traceFlags }: SpanIds): string =>
  `${VERSION}-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, '0')}`;
