import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readTraceparent, writeTraceparent } from '../../src/process/tracing/traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  test('names a trace, a span, and whether it is recorded', () => {
    expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      traceFlags: 1,
    });
    expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ traceFlags: 0 });
    // Unknown flags are not passed on.
    expect(readTraceparent(`00-${TRACE}-${SPAN}-ff`)).toMatchObject({ traceFlags: 1 });
  });

  test('of a later version may have more parts', () => {
    expect(readTraceparent(`01-${TRACE}-${SPAN}-01-more`)).toMatchObject({ spanId: SPAN });
  });

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['an invalid version', `ff-${TRACE}-${SPAN}-01`],
    ['more than this version has', `00-${TRACE}-${SPAN}-01-more`],
    ['no trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['no span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['two traceparents', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['something else', `${TRACE}-${SPAN}`],
  ])('is not read from %s', (_, text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });

  test('is read as written, and never throws', () => {
    const hex = (length: number) =>
      fc
        .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
        .filter((digits) => /[^0]/.test(digits));
    fc.assert(
      fc.property(hex(32), hex(16), fc.constantFrom(0, 1), (traceId, spanId, traceFlags) => {
        expect(readTraceparent(writeTraceparent({ traceId, spanId, traceFlags }))).toEqual({
          traceId,
          spanId,
          traceFlags,
        });
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        readTraceparent(text);
      }),
    );
  });
});
