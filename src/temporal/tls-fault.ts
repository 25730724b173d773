import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { connectionOptions, type TemporalAccess } from '../settings/connection-options.ts';

/** A server refuses a client's certificate only after the handshake, within moments. */
const REFUSES_WITHIN_MS = 500;
const TIMEOUT_MS = 5_000;
/** What Node's TLS says when the two sides do not agree on certificates, names or on TLS itself. */
const TLS_ERROR = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO)/;

/**
 * Why TLS with Temporal fails, in words. gRPC reports only that a deadline has passed, so this tries a handshake itself.
 * Undefined: TLS is not the cause, or the server cannot be reached.
 */
export async function tlsFault(access: TemporalAccess): Promise<string | undefined> {
  const { tls } = connectionOptions(access);
  const options = tls === true ? {} : tls || undefined;
  const fault = await handshake(access.address, options);
  if (fault === undefined) return undefined;
  if (!options) return 'the server expects TLS: set TEMPORAL_TLS=true';
  return expiry(options) ?? withRemedy(fault);
}

/** A server need not say what is wrong with the client's certificate. */
function expiry({ clientCertPair: own }: Tls): string | undefined {
  if (!own) return undefined;
  const { validTo } = new X509Certificate(Buffer.from(own.crt));
  return new Date(validTo) < new Date()
    ? `the client certificate has expired on ${validTo}: renew TEMPORAL_TLS_CLIENT_CERT_…`
    : undefined;
}

const REMEDIES: readonly [RegExp, string][] = [
  [
    /certificate required|alert number 116/,
    'the server requires a client certificate: set TEMPORAL_TLS_CLIENT_CERT_… and …_KEY_…',
  ],
  [
    /alert (bad|unknown|unsupported) c|unknown ca|alert number 4[2368]/,
    'the server refuses the client certificate: it must be of the authority that the server trusts',
  ],
  [
    /self-signed|unable to (verify|get)/,
    'the server’s certificate is not of the authority in TEMPORAL_TLS_SERVER_CA_CERT_…',
  ],
];

/** OpenSSL's own text has line breaks and numbers of its source. */
function withRemedy(fault: string): string {
  const text = fault.trim().replace(/\s+/g, ' ');
  const remedy = REMEDIES.find(([pattern]) => pattern.test(text))?.[1];
  return remedy ? `${remedy} (${text})` : text;
}

type Tls = Exclude<ReturnType<typeof connectionOptions>['tls'], boolean | null | undefined>;

/** Without `options`: a handshake with any certificate. It returns a text if that succeeds, because the server speaks TLS. */
function handshake(address: string, options?: Tls): Promise<string | undefined> {
  const at = address.lastIndexOf(':');
  const [host, port] = [address.slice(0, at).replace(/^\[|\]$/g, ''), Number(address.slice(at + 1))];
  const { serverNameOverride, serverRootCACertificate: ca, clientCertPair: own } = options ?? {};
  const servername = serverNameOverride ?? (isIP(host) ? undefined : host);
  return new Promise((resolve) => {
    let isSecure = false;
    const socket = connect({
      ...{
        host,
        port,
        ALPNProtocols: ['h2'],
        rejectUnauthorized: options !== undefined,
        timeout: TIMEOUT_MS,
      },
      ...(servername && { servername }),
      ...(ca && { ca: Buffer.from(ca) }),
      ...(own && { cert: Buffer.from(own.crt), key: Buffer.from(own.key) }),
    });
    const end = (fault: string | undefined) => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('timeout', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const isOfTls = TLS_ERROR.test(error.code ?? '') || isSecure;
      end(isOfTls && options ? error.message : undefined);
    });
    socket.once('secureConnect', () => {
      isSecure = true;
      if (!options) return end('TLS');
      socket.setTimeout(REFUSES_WITHIN_MS);
    });
    socket.once('close', () =>
      end(
        isSecure ? 'the server ended the connection: it may require another client certificate' : undefined,
      ),
    );
  });
}
