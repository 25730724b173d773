import { expect, test } from '@jest/globals';
import { paused } from '../../src/domain/paused.ts';

test('a paused call names the reason if it is known, and when to repeat it', () => {
  expect(paused('bank holiday')).toMatchObject({
    code: 'paused',
    message: expect.stringContaining('paused: bank holiday. Nothing was changed.'),
    retryAfter: 30,
  });
});

test('without a reason it keeps the standard text', () => {
  expect(paused()).toMatchObject({ code: 'paused', retryAfter: 30 });
  expect(paused().message).not.toContain('undefined');
});
