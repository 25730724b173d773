import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { createdAt, id, indexesOf } from './columns.ts';

/** A payer, or the person behind an LP. */
export const User = defineEntity({
  name: 'User',
  tableName: 'app_user',
  indexes: indexesOf(
    // Names are searched by their beginning, in any case. In the C collation, they are one range of the index.
    `create index "app_user_name" on "app_user" ((lower(name) collate "C"), "id")`,
  ),
  properties: {
    id: id(),
    name: p.string().length(200).nullable(),
    created_at: createdAt(),
  },
});
export type User = InferEntity<typeof User>;
