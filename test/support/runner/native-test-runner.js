import { createRequire, registerHooks } from 'node:module';
import './shared-workflow-threads.js';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import { provideGlobals } from './jest-globals.js';

/**
 * Runs a test file directly in Node, as the service runs, and not in a `vm` context. Each Jest worker then loads the
 * service and its libraries once instead of once per file, which took half of the time of most files. The drawback: files
 * share the memory of modules. Tests keep their state in servers, and each file has its own database and namespace.
 */
export default function runNatively(globalConfig, config, environment, _runtime, testPath, report) {
  return circus.default(globalConfig, config, environment, nativeRuntime, testPath, report);
}

const require = createRequire(import.meta.url);

/** What Jest's own runner requires of its `vm` context. */
const nativeRuntime = {
  // Loads the module again. Otherwise it would keep the event handlers of the previous file.
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

/** Jest's message that a worker should end (`CHILD_MESSAGE_END`). */
const END = 2;
// The SDK's runtime, which lives as long as its process, would keep the worker running until Jest kills it with a warning.
process.on('message', ([kind]) => {
  if (kind === END) setImmediate(() => process.exit());
});
