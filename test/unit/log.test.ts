import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import type { Logger } from 'pino';
import { createLogger, describeError } from '../../src/process/log.ts';

/** Returns what a logger writes when its output is not a terminal. */
function written(level: string, write: (log: Logger) => void): string {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  write(createLogger(level, Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream));
  return text;
}

/** An error as the database driver throws it. */
const databaseError = (message: string, properties: object) => Object.assign(new Error(message), properties);

const UNIQUE_VIOLATION = databaseError(
  'insert into "orders" ("recipient") values (\'+254700123456\') - duplicate key value violates unique constraint',
  {
    code: '23505',
    constraint: 'orders_payment_id_unique',
    detail: 'Key (recipient)=(+254700123456) already exists.',
    parameters: ['+254700123456'],
    query: "insert into orders values ('+254700123456')",
  },
);

describe('the log', () => {
  test('is one JSON object a line, with the message and the fields given', () => {
    const lines = written('info', (log) => {
      log.info({ orderId: 42 }, 'order created');
      log.warn('two\nlines');
    });
    const [first, second, rest] = lines.split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ orderId: 42, msg: 'order created' });
    expect(JSON.parse(second ?? '')).toMatchObject({ msg: 'two\nlines' });
    expect(rest).toBe('');
  });

  test('leaves out what is below its level', () => {
    const lines = written('warn', (log) => {
      log.info('not worth a line');
      log.warn('worth a line');
    });
    expect(lines).toContain('worth a line');
    expect(lines).not.toContain('not worth');
    expect(written('silent', (log) => log.error('nothing'))).toBe('');
  });

  test.each([
    'authorization',
    'api_key',
    'lp_key',
    'recipient',
    'recipient_name',
    'recipient_details',
    'mpesa_phone',
    'callback_url',
    'key_hash',
    'parameters',
    'values',
  ])('never shows %s, alone or up to two objects deep', (name) => {
    const secret = { [name]: 'do-not-show', orderId: 42 };
    const line = written('info', (log) =>
      log.info({ ...secret, body: secret, request: { headers: secret }, orders: [secret] }),
    );
    expect(line).not.toContain('do-not-show');
    expect(JSON.parse(line).request.headers).toEqual({ [name]: '[redacted]', orderId: 42 });
  });

  test('never shows a secret that each of its lines would have, and leaves the fields themselves as they are', () => {
    const fields = { body: { lp_key: 'do-not-show' }, orders: [{ recipient: 'do-not-show' }] };
    const line = written('info', (log) => log.child({ lp_key: 'do-not-show', lpId: 7 }).info(fields));
    expect(line).not.toContain('do-not-show');
    const redacted = { body: { lp_key: '[redacted]' }, orders: [{ recipient: '[redacted]' }] };
    expect(JSON.parse(line)).toMatchObject({ lp_key: '[redacted]', lpId: 7, ...redacted });
    expect(fields).toEqual({ body: { lp_key: 'do-not-show' }, orders: [{ recipient: 'do-not-show' }] });
  });

  test('never shows the values of a statement in an error that has another name', () => {
    const line = written('info', (log) =>
      log.warn({ cause: UNIQUE_VIOLATION, request: { err: UNIQUE_VIOLATION } }),
    );
    expect(JSON.parse(line).cause.parameters).toBe('[redacted]');
    expect(JSON.parse(line).request.err.parameters).toBe('[redacted]');
  });

  test('shows an error without the row that the database refused', () => {
    const line = written('info', (log) => log.error({ err: UNIQUE_VIOLATION }, 'request failed'));
    expect(line).not.toContain('+254700123456');
    expect(JSON.parse(line).err).toMatchObject({ code: '23505' });
    expect(line).toContain('orders_payment_id_unique');
  });
});

describe('the description of an error', () => {
  test('keeps the kind, the message, the code and the stack of an ordinary one', () => {
    const error = Object.assign(new TypeError('cannot read'), { code: 'E_READ', private: 'do-not-show' });
    const described = describeError(error);
    expect(described).toMatchObject({ type: 'TypeError', message: 'cannot read', code: 'E_READ' });
    expect(described.stack).toContain('log.test.ts');
    expect(JSON.stringify(described)).not.toContain('do-not-show');
  });

  test('leaves out the text and the values of a statement, and keeps its code and constraint', () => {
    const described = describeError(UNIQUE_VIOLATION);
    expect(described.code).toBe('23505');
    expect(described.message).toContain('orders_payment_id_unique');
    expect(JSON.stringify(described)).not.toMatch(/254700123456|insert into|recipient/);
  });

  test.each([
    "insert into t values ('do-not-show') - failed",
    "  UPDATE t set a = 'do-not-show' - failed",
    "select 'do-not-show' - failed",
    "with o as (select 'do-not-show') select - failed",
    "delete from t where a = 'do-not-show' - failed",
  ])('leaves out the statement: %s', (message) => {
    const described = describeError(databaseError(message, { code: '57014' }));
    expect(JSON.stringify(described)).not.toContain('do-not-show');
    expect(described.message).toContain('57014');
  });

  test('leaves the value that broke a constraint out of a message of any form', () => {
    const error = databaseError('Failing row contains (do-not-show).', {
      code: '23514',
      constraint: 'lp_tier_check',
    });
    expect(JSON.stringify(describeError(error))).not.toContain('do-not-show');
  });

  test('does not treat a sentence as a statement', () => {
    expect(describeError(new Error('selected order is gone')).message).toBe('selected order is gone');
  });

  test('follows the causes, and hides statements in them too', () => {
    const error = new Error('the order was not created', {
      cause: new Error('outer', { cause: UNIQUE_VIOLATION }),
    });
    const described = describeError(error);
    expect(described.message).toBe('the order was not created');
    expect(described.cause?.message).toBe('outer');
    // Compared as a whole: an error's own message and stack are invisible to JSON.stringify.
    expect({ ...described.cause?.cause, stack: '' }).toEqual({
      type: 'Error',
      code: '23505',
      message: expect.stringMatching(/^[^+]*orders_payment_id_unique[^+]*$/),
      stack: '',
    });
    expect(JSON.stringify(described)).not.toContain('254700123456');
  });

  test('has the first error of an AggregateError, and hides statements in it too', () => {
    const errors = [UNIQUE_VIOLATION, ...Array.from({ length: 9 }, (_, n) => new Error(`failure ${n}`))];
    const described = describeError(new AggregateError(errors, '10 workflows were not started'));
    expect(described.message).toBe('10 workflows were not started');
    expect(described.errors?.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^[^+]*orders_payment_id_unique[^+]*$/),
      'failure 0',
      'failure 1',
      'failure 2',
      'failure 3',
    ]);
    expect(JSON.stringify(described)).not.toContain('254700123456');
  });

  test('names the thrown value if it is not an error', () => {
    expect(describeError('just text')).toEqual({ type: 'string', message: 'just text' });
    expect(describeError(undefined)).toEqual({ type: 'undefined', message: 'undefined' });
  });
});
