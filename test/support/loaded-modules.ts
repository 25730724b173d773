import { registerHooks } from 'node:module';

/**
 * Loaded before a program (`--import`). On SIGUSR2 and at the program's end it prints the modules that the program has
 * loaded so far, as one line on stderr: `loaded ["file:///…", …]`.
 */
const loaded = new Set<string>();

registerHooks({
  load: (url, context, next) => {
    loaded.add(url);
    return next(url, context);
  },
});

const print = () => process.stderr.write(`loaded ${JSON.stringify([...loaded])}\n`);
process.on('SIGUSR2', print);
process.on('exit', print);
