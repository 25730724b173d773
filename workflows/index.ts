/** The bundle's entry: every workflow type that the workers know. */
export { order } from './order.ts';
