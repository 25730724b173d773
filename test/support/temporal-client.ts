import { Client, Connection } from '@temporalio/client';
import type { TestCorridor } from './corridor.ts';
import { testEnvironment } from './environment.ts';

/** What a client of Temporal sees and does in a Corridor's namespace. `client.connection.close()` ends it. */
export async function connectToTemporal({ config }: Pick<TestCorridor, 'config'>): Promise<Client> {
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  return new Client({ connection, namespace: config.temporalNamespace });
}
