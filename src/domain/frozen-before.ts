/**
 * What an admin reads whose freeze has changed nothing, because a frozen order keeps its first reason. Null: the freeze has
 * taken effect. `sent`: the reason of this freeze. `kept`: the reason that the order has now.
 */
export const frozenBefore = (sent: string, kept: string | null): string | null =>
  kept === sent.trim() ? null : `The order was frozen before, and keeps its reason: ${kept ?? 'none'}`;
