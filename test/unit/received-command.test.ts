import { expect, test } from '@jest/globals';
import { receivedCommand } from '../../workflows/received-command.ts';

const message = {
  requestId: '8293facd-7507-417a-a094-3229737687c4',
  actor: 'agent:3',
  command: { trigger: 'confirm' },
  signature: '1790000000000.x',
  forVersion: 1,
};

test('a message of the API is read unchanged', () => {
  expect(receivedCommand('confirm', message)).toEqual(message);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a string', 'confirm'],
  ['no command', { ...message, command: undefined }],
  ['no signature', { ...message, signature: undefined }],
  // The workflow's own commands are not signed and come from no signal.
  ['the command of another name', { ...message, command: { trigger: 'deadline', version: 1 } }],
  ['a nested value', { ...message, command: { trigger: 'confirm', more: { toString: 1 } } }],
  ['a long actor', { ...message, actor: 'a'.repeat(101) }],
  ['a request id that is not a string', { ...message, requestId: 7 }],
  ['a version that is not a number', { ...message, forVersion: '1' }],
])('%s becomes an unsigned command', (_what, given) => {
  expect(receivedCommand('confirm', given)).toEqual({
    requestId: '',
    actor: 'nobody',
    command: { trigger: 'confirm' },
    signature: '',
  });
});
