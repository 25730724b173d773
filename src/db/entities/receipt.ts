import { defineEntity, p } from '@mikro-orm/core';
import { RECEIPT_TYPES, type ReceiptType } from '../../domain/receipt-type.ts';
import { createdAt, oneOf, references } from './columns.ts';
import { Lp } from './lp.ts';
import { Order } from './order.ts';

/** A file that an LP uploaded for an order; append-only. The bytes are in the receipt store, under the same key. */
export const Receipt = defineEntity({
  name: 'Receipt',
  tableName: 'receipt',
  checks: [
    { name: 'receipt_content_type_check', expression: oneOf('content_type', Object.keys(RECEIPT_TYPES)) },
    { name: 'receipt_size_positive', expression: 'size > 0' },
  ],
  indexes: [{ name: 'receipt_order', properties: ['order_id', 'created_at'] }],
  properties: {
    receipt_key: p.string().length(64).primary(),
    order_id: () => references(Order, 'order_id'),
    lp_id: () => references(Lp, 'lp_id'),
    content_type: p.string().length(64).$type<ReceiptType>(),
    /** Bytes. */
    size: p.integer(),
    created_at: createdAt(),
  },
});
