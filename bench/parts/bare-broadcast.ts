import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { startServer } from '../../src/http/http-server.ts';
import { textFrame } from './frame.ts';

const USAGE = `usage: node bench/parts/bare-broadcast.ts

Frames each text that it receives on /publish once, and writes the frame to all other sockets: the lower bound of a
delivery's cost. PORT must be set. Prints "ready". Ends on SIGTERM.`;

const { PORT } = process.env;
if (!PORT) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const HELLO = textFrame('{"type":"snapshot"}');
const audience = new Set<Duplex>();
const sockets = new WebSocketServer({ noServer: true });
const server = await startServer(() => undefined, '127.0.0.1', Number(PORT));
server.server.on('upgrade', (request, stream, head) => {
  sockets.handleUpgrade(request, stream, head, (socket) => {
    if (request.url === '/publish') return socket.on('message', (data) => broadcast(String(data)));
    audience.add(stream);
    stream.once('close', () => audience.delete(stream));
    stream.write(HELLO);
  });
});
process.once('SIGTERM', () => process.exit());
process.stdout.write('ready\n');

function broadcast(text: string): void {
  const frame = textFrame(text);
  for (const stream of audience) stream.write(frame);
}
