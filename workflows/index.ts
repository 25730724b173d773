/** The bundle's entry point: it exports every workflow type that the workers run. */
export { bulk } from './bulk.ts';
export { order } from './order.ts';
