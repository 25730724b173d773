import type { Command } from 'commander';

/** When a key ends, and where it is accepted, as the options of a command give them. `none` removes a limit. */
export interface KeyLimitOptions {
  expires?: string;
  allowedIps?: string[];
}

export const withKeyLimits = (command: Command): Command =>
  command
    .option('--expires <time>', 'when the key ends, such as 2027-01-31, or none')
    .option('--allowed-ips <list...>', 'addresses and networks from which the key is accepted, or none');

/** A list as an option: null removes the limit, undefined keeps it. */
export const listOrNone = (list: string[] | undefined): string[] | null | undefined =>
  list?.join() === 'none' ? null : list;

/** The fields of a request: null removes a limit, undefined keeps it. The API checks the values. */
export const keyLimitsOf = ({ expires, allowedIps }: KeyLimitOptions) => ({
  expires_at: expires === 'none' ? null : expires,
  allowed_ips: listOrNone(allowedIps),
});
