import { computed, signal } from '@preact/signals';
import type { z } from 'zod';
import type { corridorsResponse } from '../../src/api/resources/corridors/schemas.ts';
import { ANY_METHOD } from '../../src/domain/delivery.ts';
import { call } from './api.ts';
import { wordsFor } from './words.ts';

type Corridor = z.output<typeof corridorsResponse>['corridors'][number];

/** The service's corridors: the methods of each currency, with their names and limits. */
const corridors = signal<readonly Corridor[]>([]);

/** The names of methods and institutions. Offers and orders have their codes. */
const names = computed(
  () =>
    new Map(
      corridors.value.flatMap(({ currency, methods }) =>
        methods.flatMap(({ method, name, institutions }): [string, string][] => [
          [keyOf(currency, method), name],
          ...institutions.map((one): [string, string] => [keyOf(currency, method, one.code), one.name]),
        ]),
      ),
    ),
);

const keyOf = (currency: string, method: string, institution = ''): string =>
  `${currency} ${method} ${institution}`;

/** Loads the corridors once. Until they are loaded, and if that fails, pages show codes. */
export async function loadCorridors(): Promise<void> {
  if (corridors.peek().length > 0) return;
  const read = await call<z.output<typeof corridorsResponse>>('GET', '/api/v1/corridors').catch(() => null);
  if (read) corridors.value = read.corridors;
}

/** The methods of a currency, the default first. A currency without a corridor has one: any. */
export function methodsOf(currency: string): string[] {
  const corridor = corridors.value.find((one) => one.currency === currency);
  if (!corridor) return [ANY_METHOD];
  const others = corridor.methods
    .map(({ method }) => method)
    .filter((one) => one !== corridor.default_method);
  return [corridor.default_method, ...others];
}

/** The smallest and the largest order of a method. Undefined for a currency without a corridor. */
export const limitsOf = (currency: string, method: string): { min: number; max: number } | undefined =>
  corridors.value.find((one) => one.currency === currency)?.methods.find((one) => one.method === method);

/** How the LP delivers the fiat, such as `Mobile money · M-PESA`. */
export function describeMethod({
  currency,
  method,
  institution,
}: {
  currency: string;
  method: string;
  institution?: string | null;
}): string {
  const methodName =
    method === ANY_METHOD ? 'Any method' : (names.value.get(keyOf(currency, method)) ?? wordsFor(method));
  if (institution == null) return methodName;
  return `${methodName} · ${names.value.get(keyOf(currency, method, institution)) ?? institution}`;
}
