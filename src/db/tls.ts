import type tls from 'node:tls';
import type pg from 'pg';
import { parse } from 'pg-connection-string';
import { StartupError } from '../process/startup-error.ts';

const MODES = ['disable', 'verify-full'];

/**
 * The TLS options in the URL of a database: `sslmode`, `sslrootcert`, `sslcert` and `sslkey`, as for PostgreSQL's own programs.
 * MikroORM ignores them. Throws a StartupError for a file that cannot be read, and for a mode that does not check the server.
 */
export function tlsIn(url: string): tls.ConnectionOptions | boolean {
  const mode = URL.canParse(url) ? new URL(url).searchParams.get('sslmode') : null;
  if (mode !== null && !MODES.includes(mode))
    throw new StartupError(
      `sslmode=${mode} would not prove which server answers. Use sslmode=verify-full in the URL of the database, with sslrootcert=FILE if its authority is your own.`,
    );
  try {
    const { ssl, host } = parse(url);
    // The driver that MikroORM brings checks the certificate of an IP address against "localhost" unless it gets the host here.
    return typeof ssl === 'object'
      ? { ...(ssl as tls.ConnectionOptions), host: host ?? undefined }
      : Boolean(ssl);
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).syscall) throw error;
    throw new StartupError(
      `A file of sslrootcert, sslcert or sslkey in the URL of the database cannot be read (${(error as Error).message}).`,
    );
  }
}

/**
 * Lets each new connection of the pool read the files in the URL again, so that a renewed certificate needs no restart. A file
 * that cannot be read at that moment is being replaced: then the previous ones stay.
 */
export function keepTlsFresh(pool: pg.Pool, url: string): void {
  let present = tlsIn(url);
  if (typeof present !== 'object') return;
  const read = () => {
    try {
      present = tlsIn(url);
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
    }
    return present;
  };
  Object.defineProperty(pool.options, 'ssl', { get: read });
}

/** What a failure of TLS says, by its code or its message, and what to do about it. */
const FAULTS: readonly [RegExp, string][] = [
  [/ALERT_CERTIFICATE_EXPIRED/, 'the client certificate in sslcert has expired: renew it'],
  [/does not support SSL/, 'it does not offer TLS: turn "ssl" on there'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'its certificate names another host: use that name in the URL'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'its certificate is not valid now: renew it'],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY_LEAF|GET_ISSUER)|CERT_SIGNATURE_FAILURE/,
    'its certificate is not of the authority in sslrootcert: name the right one',
  ],
  [
    /valid client certificate/,
    'it requires a client certificate: set sslcert=FILE and sslkey=FILE in the URL',
  ],
  [
    /certificate authentication failed|ERR_SSL_[\w/]*(ALERT|CERT)/,
    'it refuses the client certificate: sslcert must be of the authority that it trusts, and name the role',
  ],
  [/no encryption/, 'it requires TLS: set sslmode=verify-full in the URL'],
];

/** What is wrong with TLS, in a few words; undefined if the failure has another cause. */
export const tlsFault = ({
  code = '',
  message,
}: {
  code?: string | number | undefined;
  message: string;
}): string | undefined =>
  FAULTS.find(([fault]) => fault.test(`${code} ${message}`))?.[1].concat(` (${message.trim()})`);
