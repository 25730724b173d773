import fc from 'fast-check';

/** All properties begin with the seed of the run: see `jest.config.js`. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TEST_SEED) });
