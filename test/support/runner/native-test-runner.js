import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import { provideGlobals } from './jest-globals.js';

/**
 * Runs a test file in Node itself, as the service runs, instead of in a `vm` context of its own. So each worker of Jest
 * loads the service and its libraries once, and not once per file, which took half of the time of most files. In
 * exchange, files share what modules keep in memory; tests keep their state in servers, and each file has its own.
 */
export default function runNatively(globalConfig, config, environment, _runtime, testPath, report) {
  return circus.default(globalConfig, config, environment, nativeRuntime, testPath, report);
}

const require = createRequire(import.meta.url);

/** What Jest's own runner requires of its `vm` context. */
const nativeRuntime = {
  // Keeps event handlers of the file before it, unless it is loaded anew.
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  },
  requireModule: require,
  setGlobalsForRuntime: provideGlobals,
  unstable_shouldLoadAsEsm: () => true,
  unstable_importModule: (path) => import(pathToFileURL(path).href),
  enterTestCode() {},
  leaveTestCode() {},
};

const GLOBALS = new URL('./jest-globals.js', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});
