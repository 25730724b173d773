import { CorridorError } from '../../client/src/index.ts';

/** Returns the refusal of a call through the client; throws if the call succeeds or fails in another way. */
export async function catchRefusal(call: Promise<unknown>): Promise<CorridorError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CorridorError) return error;
    throw error;
  }
  throw new Error('The service did not refuse the call');
}
