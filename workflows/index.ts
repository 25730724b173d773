/** The bundle's entry point: it exports every workflow type that the workers run. */
export { order } from './order.ts';
