import { inFile } from '../guard.ts';

const ANSWERS = 'test/attacks/receiver-answers.test.ts';

/** What agents see of webhooks, and what Corridor keeps of a receiver's answer. */
export const AGENT_WEBHOOK_GUARDS = [
  ...inFile('src/notify/webhooks/list-deliveries.ts', ANSWERS, [
    ['agent webhooks: an agent lists only its own', 'where o.agent_key_id = $1 and ($2::varchar',
      'where $1::bigint is not null and ($2::varchar', 'are neither listed nor sent again'],
    ['agent webhooks: another agent’s webhook is no cursor',
      'where last.id = $3 and last.lp_id is null and own.agent_key_id = $1',
      'where last.id = $3 and last.lp_id is null', 'are neither listed nor sent again']]),
  ...inFile('src/domain/receiver-answer.ts', ANSWERS, [
    ['agent webhooks: an answer is stored without the recipient', '    !hasRecipient(shown, cut, wanted) &&\n', '',
      'that has the order’s recipient is stored and shown as a mask'],
    ['agent webhooks: a cut answer does not show the beginning of the recipient',
      'const cut = isCut || characters.length > MAX_ANSWER_CHARACTERS;', 'const cut = false;',
      'that is cut within the recipient'],
    ['agent webhooks: an answer is stored without the recipient in escapes', '    !ESCAPE.test(shown) &&\n', '',
      'that has escapes of JSON, URLs or HTML'],
    ['agent webhooks: an answer is stored without the recipient in base64',
      '    !base64Texts(shown).some((decoded) => hasRecipient(decoded, cut, wanted));', '    true;',
      'that has the recipient in base64'],
    ['agent webhooks: an answer without the recipient’s words shows no number', '    SIX_DIGITS.test(text) ||\n', '',
      'that has the order’s recipient is stored and shown as a mask']]),
  ...inFile('src/adapters/webhook-http.ts', 'test/workflow/webhook-receivers.test.ts', [
    ['agent webhooks: the sender keeps 4 KiB of an answer',
      'if (bytes < MAX_ANSWER_BYTES) kept.push(chunk.subarray(0, MAX_ANSWER_BYTES - bytes));',
      'kept.push(chunk);', 'an endless response is cut off early']]),
  ...inFile('src/db/migrations/masking.sql', ANSWERS, [
    ['agent webhooks: masking removes the answers',
      'where d.order_id = any (done) and d.lp_id is null and delivery_id = d.id and answer is not null;',
      'where d.order_id = any (done) and d.lp_id is null and delivery_id = d.id and answer is null;',
      'removes the answers, and keeps none']]),
  ...inFile('src/notify/webhooks/deliveries.ts', ANSWERS, [
    ['agent webhooks: no answer is kept for a masked order',
      'answer = case when delivery.body is not null then $body::text end', 'answer = $body::text',
      'removes the answers, and keeps none']]),
  ...inFile('src/api/resources/webhook-deliveries/view.ts', ANSWERS, [
    ['webhooks: admins do not read the bodies to LPs about orders',
      'isToLpAboutOrder(listed.delivery) ? null : ',
      "isToLpAboutOrder(listed.delivery) && listed.delivery.body === '' ? null : ",
      'reads the bodies and answers of agents’ webhooks, and no recipient']]),
  ...inFile('src/notify/lp-webhooks/deliver.ts', ANSWERS, [
    ['agent webhooks: answers of LPs’ receivers are not kept', 'recipientWords: null };',
      'recipientWords: [] };', 'of an LP’s receiver is not stored']]),
  ...inFile('activities/webhooks.ts', 'test/workflow/webhooks.test.ts', [
    ['agent webhooks: the attempt of a step does not overtake an earlier webhook',
      "if (delivery.hasEarlier) return 'later';", '', 'are three POSTs when the receiver refuses']]),
];
