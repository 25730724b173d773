import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from './columns.ts';

/** A payer, or the person behind an LP. */
export const User = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: {
    id: id(),
    name: p.string().length(200).nullable(),
    created_at: createdAt(),
  },
});
export type User = InferEntity<typeof User>;
