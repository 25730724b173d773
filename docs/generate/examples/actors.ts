import type { Call } from '../../../dev/http-client.ts';

/** A Corridor to call. `unrecorded` calls only wait for a result. */
export interface Walk {
  caller: (key?: string) => Call;
  unrecorded: (key?: string) => Call;
  adminKey: string;
  callbackUrl: string;
  print: (line: string) => void;
}

/** A caller with its unrecorded twin. */
export interface Party {
  call: Call;
  /** Unrecorded. */
  look: Call;
}
export interface WalkAgent extends Party {
  userId: number;
  keyId: number;
  callbackUrl: string;
}
export interface WalkLp extends Party {
  id: number;
  /** The start of the LP's own paths, with its key. */
  own: string;
  address: string;
}

/** All registered parties. */
export interface Actors {
  admin: Party;
  anyone: Call;
  agent: WalkAgent;
  /** Completes orders. */
  lp: WalkLp;
  /** Fails a claim and is suspended at the end. */
  otherLp: WalkLp;
}

export const partyOf = ({ caller, unrecorded }: Walk, key: string): Party => ({
  call: caller(key),
  look: unrecorded(key),
});

/** Calls a route with GET, unrecorded, until its body meets the condition. */
export async function waitUntil(
  look: Call,
  path: string,
  isReached: (body: never) => boolean,
): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { body } = await look('GET', path);
    if (isReached(body as never)) return;
    if (Date.now() > deadline) throw new Error(`GET ${path} still returns ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
