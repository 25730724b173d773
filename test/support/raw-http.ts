import { connect, type Socket } from 'node:net';

const TIMEOUT_MS = 60_000;

export interface RawConnection {
  socket: Socket;
  /** The response so far. */
  received: () => string;
  /** Resolves with the whole response when the server has closed the connection. Rejects if it never does. */
  closed: Promise<string>;
}

/** A connection for bytes that no HTTP client sends. With `allowHalfOpen` it never closes its side. */
export function rawConnection(baseUrl: string, { allowHalfOpen = false } = {}): RawConnection {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise<string>((resolve, reject) => {
    const tooLate = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection was not closed within ${TIMEOUT_MS} ms; it answered: ${text}`));
    }, TIMEOUT_MS);
    // A reset also closes the connection.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(tooLate);
      resolve(text);
    });
  });
  return { socket, received: () => text, closed };
}

/** Sends these bytes, and returns the response up to the end of the connection. */
export function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<string> {
  const { socket, closed } = rawConnection(baseUrl);
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return closed;
}

/** The lines of a request as bytes, with the empty line and a body. */
export const rawRequest = (lines: string[], body = ''): string => `${lines.join('\r\n')}\r\n\r\n${body}`;

/** The statuses of the responses in these bytes, in order. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
