import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id } from './columns.ts';

/** A payer, or the person behind an LP. */
export const User = defineEntity({
  name: 'User',
  tableName: 'app_user',
  indexes: [
    {
      name: 'app_user_name',
      expression: `create index "app_user_name" on "app_user" ((lower(name) collate "C"), "id")`,
    },
  ],
  properties: {
    id: id(),
    name: p.string().length(200).nullable(),
    created_at: createdAt(),
  },
});
export type User = InferEntity<typeof User>;
