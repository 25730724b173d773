import { expect, test } from '@jest/globals';
import { objectOf } from '../../src/api/pipeline/audited.ts';

test.each([
  ['/api/admin/orders/:orderId/freeze', { orderId: '42' }, 'order:42'],
  ['/api/orders/:order_id/claim', { order_id: '42' }, 'order:42'],
  ['/api/v1/confirm/:orderId', { orderId: '42' }, 'order:42'],
  ['/api/admin/orders/:id/resolve', { id: '42' }, 'order:42'],
  ['/api/admin/lps/:id/approve', { id: '7' }, 'lp:7'],
  ['/api/admin/agent-keys/:id/rotate', { id: '3' }, 'agent_key:3'],
  ['/api/lp/:lp_key/collateral/:deposit_id/confirm', { lp_key: '7', deposit_id: '5' }, 'deposit:5'],
  ['/api/lp/:lp_key/terms', { lp_key: '7' }, ''],
  ['/api/receipts/:receipt_key', { receipt_key: '12' }, ''],
  ['/api/admin/orders/:id', { id: '42 or 1' }, ''],
])('the object of %s is named as the audit’s triggers name it', (path, params, object) => {
  expect(objectOf({ path }, params)).toBe(object);
});
