import type { z } from 'zod';
import { findAvailable } from '../../../market/corridors/find-available.ts';
import type { Corridor } from '../../../market/corridors/schema.ts';
import { onceASecond } from '../../../process/remembered.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { corridorsResponse } from './schemas.ts';

type Shown = z.output<typeof corridorsResponse>['corridors'][number];

/** The corridors of payments. */
export function corridorRoutes({ db, prices, delivery, settings }: ApiDeps): Route[] {
  // Anybody may ask, and the cost grows with the number of LPs.
  const list = onceASecond(listed);
  return [
    route({
      method: 'get',
      path: '/api/v1/corridors',
      auth: 'none',
      summary: 'List the currencies with their methods, institutions, recipients and limits',
      description:
        'The values that `POST /api/v1/pay` accepts for each currency. A currency that is not listed takes any `recipient`.',
      answers: { 200: corridorsResponse },
      refuses: [],
      isShared: true,
      handle: async () => ({ status: 200, body: { corridors: await list() } }),
    }),
  ];

  async function listed(): Promise<Shown[]> {
    const { corridors } = delivery;
    // Rates that are an offset from a price hold only while the database has the price.
    await prices.refresh();
    const available = await findAvailable(db, corridors, settings.strikeCoolDown);
    return [...corridors].map(([currency, corridor]) =>
      shownCorridor(currency, corridor, (method) => available.has(`${currency} ${method}`)),
    );
  }
}

const shownCorridor = (
  currency: string,
  { methods, ...corridor }: Corridor,
  isAvailable: (method: string) => boolean,
): Shown => ({
  currency,
  ...corridor,
  methods: Object.entries(methods).map(([method, facts]) => ({
    method,
    ...facts,
    available: isAvailable(method),
  })),
});
