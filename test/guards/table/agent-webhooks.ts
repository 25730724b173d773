import type { Guard } from '../guard.ts';

const LIST = 'src/notify/webhooks/list-deliveries.ts';
const ANSWERS = 'test/attacks/receiver-answers.test.ts';

/** What agents see of webhooks, and what Corridor keeps of a receiver's answer. */
export const AGENT_WEBHOOK_GUARDS: readonly Guard[] = [
  {
    name: 'agent webhooks: an agent lists only its own',
    file: LIST,
    text: 'where o.agent_key_id = $1 and ($2::varchar',
    without: 'where $1::bigint is not null and ($2::varchar',
    attack: { file: ANSWERS, name: 'are neither listed nor sent again' },
  },
  {
    name: 'agent webhooks: another agent’s webhook is no cursor',
    file: LIST,
    text: 'where last.id = $3 and last.lp_id is null and own.agent_key_id = $1',
    without: 'where last.id = $3 and last.lp_id is null',
    attack: { file: ANSWERS, name: 'are neither listed nor sent again' },
  },
  {
    name: 'agent webhooks: an answer is stored without the recipient',
    file: 'src/domain/receiver-answer.ts',
    text: 'const wanted = spellings(words);',
    without: 'const wanted = spellings(words.slice(0, 0));',
    attack: { file: ANSWERS, name: 'is stored and shown without the order’s recipient' },
  },
  {
    name: 'agent webhooks: a cut answer does not show the beginning of the recipient',
    file: 'src/domain/receiver-answer.ts',
    text: 'const beginnings = isCut ? ',
    without: 'const beginnings = isCut && !isCut ? ',
    attack: { file: ANSWERS, name: 'that is cut within the recipient' },
  },
  {
    name: 'agent webhooks: an answer is stored without the recipient in escapes',
    file: 'src/domain/receiver-answer.ts',
    text: 'const found = all.flatMap(',
    without: 'const found = all.slice(0, 1).flatMap(',
    attack: { file: ANSWERS, name: 'is stored without the recipient in the escapes' },
  },
  {
    name: 'agent webhooks: an answer is stored without the recipient in base64',
    file: 'src/domain/receiver-answer.ts',
    text: 'return hasWord ? [{',
    without: 'return hasWord && isCut ? [{',
    attack: { file: ANSWERS, name: 'is stored without the recipient in base64' },
  },
  {
    name: 'agent webhooks: an answer with escapes within escapes without end is not stored',
    file: 'src/domain/receiver-answer.ts',
    text: '  if (!all) return MASK;',
    without: '  if (!all) return text;',
    attack: { file: ANSWERS, name: 'is stored without the recipient in the escapes' },
  },
  {
    name: 'agent webhooks: the sender keeps 4 KiB of an answer',
    file: 'src/adapters/webhook-http.ts',
    text: 'if (bytes < MAX_ANSWER_BYTES) kept.push(chunk.subarray(0, MAX_ANSWER_BYTES - bytes));',
    without: 'kept.push(chunk);',
    attack: { file: 'test/workflow/webhook-receivers.test.ts', name: 'an endless response is cut off early' },
  },
  {
    name: 'agent webhooks: masking removes the answers',
    file: 'src/db/migrations/masking.sql',
    text: 'where d.order_id = any (done) and d.lp_id is null and delivery_id = d.id and answer is not null;',
    without: 'where d.order_id = any (done) and d.lp_id is null and delivery_id = d.id and answer is null;',
    attack: { file: ANSWERS, name: 'removes the answers, and keeps none' },
  },
  {
    name: 'agent webhooks: no answer is kept for a masked order',
    file: 'src/notify/webhooks/deliveries.ts',
    text: 'answer = case when delivery.body is not null then $body::text end',
    without: 'answer = $body::text',
    attack: { file: ANSWERS, name: 'removes the answers, and keeps none' },
  },
  {
    name: 'webhooks: admins do not read the bodies to LPs about orders',
    file: 'src/api/resources/webhook-deliveries/view.ts',
    text: 'isToLpAboutOrder(listed.delivery) ? null : ',
    without: "isToLpAboutOrder(listed.delivery) && listed.delivery.body === '' ? null : ",
    attack: { file: ANSWERS, name: 'reads the bodies and answers of agents’ webhooks, and no recipient' },
  },
  {
    name: 'agent webhooks: answers of LPs’ receivers are not kept',
    file: 'src/notify/lp-webhooks/deliver.ts',
    text: 'recipientWords: null };',
    without: 'recipientWords: [] };',
    attack: { file: ANSWERS, name: 'of an LP’s receiver is not stored' },
  },
  {
    name: 'agent webhooks: the attempt of a step does not overtake an earlier webhook',
    file: 'activities/webhooks.ts',
    text: "if (delivery.hasEarlier) return 'later';",
    without: '',
    attack: { file: 'test/workflow/webhooks.test.ts', name: 'are three POSTs when the receiver refuses' },
  },
];
