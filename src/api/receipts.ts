import { z } from 'zod';
import { RECEIPT_MEDIA_TYPES, receiptFields, receiptForm, receiptResponse } from '../contract/receipts.ts';
import { ownsOrder, recordReceipt } from '../db/commands/record-receipt.ts';
import { Receipt } from '../db/entities/receipt.ts';
import { findOrder } from '../db/queries/orders.ts';
import { DomainError } from '../domain/errors.ts';
import { RECEIPT_TYPES } from '../domain/receipt-type.ts';
import { isReceiptKey, newReceiptKey } from '../keys.ts';
import type { ApiDeps } from './deps.ts';
import { isPartyOf } from './order-party.ts';
import { type Route, route } from './route.ts';
import { available, type UploadedFile, withUpload } from './uploads.ts';
import { validate } from './validate.ts';

/** Contract: "POST /api/lp/{lp_key}/receipt", and where its `receipt_url` leads. */
export function receiptRoutes(deps: ApiDeps): Route[] {
  const { db, receipts, settings } = deps;
  return [
    route({
      method: 'post',
      path: '/api/lp/:lp_key/receipt',
      auth: 'lp',
      summary: 'Upload a receipt for an order',
      description: 'The latest receipt is the one in the order; earlier ones stay where they are.',
      answers: { 201: receiptResponse },
      keyLimit: { name: 'upload', max: settings.uploadRateLimit },
      refuses: ['bad_file_type', 'receipt_not_allowed'],
      form: receiptForm,
      handle: ({ principal: lp, incoming }) =>
        withUpload(incoming, settings.uploadDir, async (upload) => {
          const { order_id, file } = validate(uploadedReceipt, { ...upload.fields, file: upload.file });
          const orderId = Number(order_id);
          if (!(await ownsOrder(db, orderId, lp.id))) throw new DomainError('receipt_not_allowed');
          const receiptKey = newReceiptKey();
          const receiptUrl = `${settings.publicUrl}/api/receipts/${receiptKey}`;
          await available(receipts.put(receiptKey, file));
          const { type, size } = file;
          const recorded = await recordReceipt(db, {
            receiptKey,
            receiptUrl,
            orderId,
            lpId: lp.id,
            type,
            size,
          });
          // The order was taken back from the LP while the file was on its way.
          if (!recorded) {
            await available(receipts.remove(receiptKey));
            throw new DomainError('receipt_not_allowed');
          }
          return {
            status: 201,
            body: { ok: true, order_id: orderId, receipt_key: receiptKey, receipt_url: receiptUrl },
          };
        }),
    }),
    route({
      method: 'get',
      path: '/api/receipts/:receipt_key',
      auth: 'any',
      summary: 'Download a receipt',
      description: 'With the bearer of the order’s agent, its LP or an admin; for others it is not there.',
      answers: { 200: { mediaTypes: RECEIPT_MEDIA_TYPES } },
      refuses: ['not_found'],
      handle: async ({ params, principal }) => {
        const key = params.receipt_key ?? '';
        const receipt = isReceiptKey(key) ? await db.em().findOne(Receipt, { receipt_key: key }) : null;
        const order = receipt && (await findOrder(db, receipt.order_id));
        if (!order || !isPartyOf(order, principal)) throw new DomainError('not_found');
        const { receipt_key, content_type: type, size } = receipt;
        const content = await available(receipts.open(receipt_key));
        if (!content) throw new Error(`the file of a receipt of order ${order.id} is not in the store`);
        const name = `receipt-${order.id}.${RECEIPT_TYPES[type]}`;
        return { status: 200, file: { content, type, size, name } };
      },
    }),
  ];
}

const uploadedReceipt = receiptFields.extend({
  file: z.custom<UploadedFile>((file) => file !== undefined, 'must be there'),
});
