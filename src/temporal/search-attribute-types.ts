import { SEARCH_ATTRIBUTES } from '../../workflows/messages.ts';

/** The search attributes by name, with their types as Temporal's commands write them, such as `Keyword`. */
export const SEARCH_ATTRIBUTE_TYPES: Record<string, string> = Object.fromEntries(
  Object.values(SEARCH_ATTRIBUTES).map(({ name, type }) => [
    name,
    `${type[0]}${type.slice(1).toLowerCase()}`,
  ]),
);
