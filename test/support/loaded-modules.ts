import { registerHooks } from 'node:module';

/**
 * Loaded before a program of ours (`--import`): on SIGUSR2 it tells, as one line on stderr, which modules the program has
 * loaded so far: `loaded ["file:///…", …]`.
 */
const loaded = new Set<string>();

registerHooks({
  load: (url, context, next) => {
    loaded.add(url);
    return next(url, context);
  },
});

process.on('SIGUSR2', () => process.stderr.write(`loaded ${JSON.stringify([...loaded])}\n`));
