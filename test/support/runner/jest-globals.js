import { ModuleMocker } from 'jest-mock';

/** Replaces `@jest/globals`, which works only in Jest's own `vm` context. */
export let afterAll;
export let afterEach;
export let beforeAll;
export let beforeEach;
export let describe;
export let expect;
export let test;

/** The mocks that tests use. */
export const jest = new ModuleMocker(globalThis);

/** Sets the functions for the next test file. */
export function provideGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } = globals);
}
