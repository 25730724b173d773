import { signal } from '@preact/signals';
import type { z } from 'zod';
import type { corridorsResponse } from '../../../src/api/resources/corridors/schemas.ts';
import { call } from '../api.ts';
import { formatName } from '../format.ts';
import type { Offer } from './shapes.ts';

/** The names of methods and institutions. Offers have their codes. */
const names = signal<ReadonlyMap<string, string>>(new Map());

const keyOf = (currency: string, method: string, institution = ''): string =>
  `${currency} ${method} ${institution}`;

/** Loads the names once. Until they are loaded, and if that fails, pages show codes. */
export async function loadNames(): Promise<void> {
  if (names.peek().size > 0) return;
  const read = await call<z.output<typeof corridorsResponse>>('GET', '/api/v1/corridors').catch(() => null);
  if (!read) return;
  names.value = new Map(
    read.corridors.flatMap(({ currency, methods }) =>
      methods.flatMap(({ method, name, institutions }): [string, string][] => [
        [keyOf(currency, method), name],
        ...institutions.map((one): [string, string] => [keyOf(currency, method, one.code), one.name]),
      ]),
    ),
  );
}

/** How the LP delivers the fiat, such as `Mobile money · M-PESA`. */
export function describeMethod({
  currency,
  method,
  institution,
}: Pick<Offer, 'currency' | 'method' | 'institution'>): string {
  const methodName = names.value.get(keyOf(currency, method)) ?? formatName(method);
  if (institution === null) return methodName;
  return `${methodName} · ${names.value.get(keyOf(currency, method, institution)) ?? institution}`;
}
