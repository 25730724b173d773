import { z } from 'zod';
import { Receipt } from '../../../db/entities/receipt.ts';
import { DomainError } from '../../../domain/errors.ts';
import { MOST_RECEIPTS, RECEIPT_TYPES } from '../../../domain/receipt-type.ts';
import { isReceiptKey, newReceiptKey } from '../../../http/access/keys.ts';
import { mayProvePayment, recordEvidence } from '../../../market/lps/lost-order.ts';
import { findOrder } from '../../../orders/find-order.ts';
import { isPartyOf } from '../../../orders/order-party.ts';
import { countReceipts, ownsOrder, recordReceipt } from '../../../orders/record-receipt.ts';
import type { ApiDeps } from '../../deps.ts';
import { validate } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { RECEIPT_MEDIA_TYPES, receiptFields, receiptForm, receiptResponse, receiptUrlOf } from './schemas.ts';
import { available, type UploadedFile, withUpload } from './uploads.ts';

/** LPs upload receipts; the order's parties download them. Contract: "POST /api/lp/{lp_key}/receipt". */
export function receiptRoutes(deps: ApiDeps): Route[] {
  const { db, receipts, settings, uploadDir } = deps;
  return [
    route({
      method: 'post',
      path: '/api/lp/:lp_key/receipt',
      auth: 'lp',
      summary: 'Upload a receipt for an order',
      description:
        'Send `order_id` before the file. The order shows the latest receipt; earlier ones keep their URLs.',
      answers: { 201: receiptResponse },
      keyLimit: { name: 'upload', max: settings.limits.upload },
      refuses: ['bad_file_type', 'receipt_not_allowed', 'too_many_receipts'],
      form: receiptForm,
      handle: ({ principal: lp, incoming }) => {
        const admit = admission(lp.id);
        return withUpload(incoming, uploadDir, {
          beforeFile: async ({ order_id }) => {
            const { data } = receiptFields.safeParse({ order_id });
            if (data) await admit(Number(data.order_id));
          },
          use: async (upload) => {
            const { order_id, file } = validate(uploadedReceipt, { ...upload.fields, file: upload.file });
            const orderId = Number(order_id);
            const isOwner = await admit(orderId);
            const receiptKey = newReceiptKey();
            const receiptUrl = receiptUrlOf(settings.publicUrl, receiptKey);
            await available(receipts.put(receiptKey, file));
            const { type, size } = file;
            const receipt = { receiptKey, orderId, lpId: lp.id, type, size };
            // If the LP missed its fiat deadline during the upload, the file is evidence.
            const recorded =
              (isOwner && (await recordReceipt(db, { ...receipt, receiptUrl }))) ||
              (await recordEvidence(db, receipt));
            // The LP released the order during the upload.
            if (!recorded) {
              await available(receipts.remove(receiptKey));
              throw new DomainError('receipt_not_allowed');
            }
            return {
              status: 201,
              body: { ok: true, order_id: orderId, receipt_key: receiptKey, receipt_url: receiptUrl },
            };
          },
        });
      },
    }),
    route({
      method: 'get',
      path: '/api/receipts/:receipt_key',
      auth: 'any',
      summary: 'Download a receipt',
      description: 'With the key of the order’s agent, its LP or an admin; otherwise 404.',
      answers: { 200: { mediaTypes: RECEIPT_MEDIA_TYPES } },
      refuses: ['not_found'],
      handle: async ({ params, principal }) => {
        const key = params.receipt_key ?? '';
        const receipt = isReceiptKey(key) ? await db.em().findOne(Receipt, { receipt_key: key }) : null;
        const order = receipt && (await findOrder(db, receipt.order_id));
        if (!order || !isPartyOf(order, principal)) throw new DomainError('not_found');
        const { receipt_key, content_type: type, size } = receipt;
        const content = await available(receipts.open(receipt_key));
        if (!content) throw new Error(`the store has no file for a receipt of order ${order.id}`);
        const name = `receipt-${order.id}.${RECEIPT_TYPES[type]}`;
        return { status: 200, file: { content, type, size, name } };
      },
    }),
  ];

  /**
   * Returns the check of one upload: whether the LP owns the order, or else may upload evidence. It refuses every other order,
   * and an LP with too many receipts. A form that names the same order before and after its file is checked once.
   */
  function admission(lpId: number): (orderId: number) => Promise<boolean> {
    let checked: { orderId: number; isOwner: boolean } | undefined;
    return async (orderId) => {
      if (checked?.orderId === orderId) return checked.isOwner;
      const isOwner = await ownsOrder(db, orderId, lpId);
      if (!isOwner && !(await mayProvePayment(db, orderId, lpId)))
        throw new DomainError('receipt_not_allowed');
      if ((await countReceipts(db, orderId, lpId)) >= MOST_RECEIPTS)
        throw new DomainError('too_many_receipts');
      checked = { orderId, isOwner };
      return isOwner;
    };
  }
}

const uploadedReceipt = receiptFields.extend({
  file: z.custom<UploadedFile>((file) => file !== undefined, 'must be sent with the form'),
});
