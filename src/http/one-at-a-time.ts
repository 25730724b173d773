import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests of one connection may wait behind the one that is being served. */
export const MOST_WAITING = 8;

/** The requests of one connection. */
interface Turns {
  isServing: boolean;
  waiting: (() => void)[];
  /** The connection has sent too many requests, and ends after the responses to those before. */
  isOver: boolean;
}

/**
 * Serves the requests of each connection one after the other. Node parses all requests in a piece of data at once, and would
 * serve them all at once: one connection could use the whole pool. The request after `MOST_WAITING` waiting ones goes to
 * `refuse`, which must end the connection, and later ones are ignored. Responses keep the order of the requests.
 */
export function oneAtATime(serve: RequestListener, refuse: RequestListener): RequestListener {
  const turnsOf = new WeakMap<Socket, Turns>();
  return (request, response) => {
    const { socket } = request;
    const turns = turnsOf.get(socket) ?? { isServing: false, waiting: [], isOver: false };
    turnsOf.set(socket, turns);
    const begin = () => {
      response.once('close', () => next(socket, turns));
      serve(request, response);
    };
    if (turns.isOver) return;
    if (!turns.isServing) {
      turns.isServing = true;
      return begin();
    }
    if (turns.waiting.length < MOST_WAITING) return void turns.waiting.push(begin);
    turns.isOver = true;
    socket.pause();
    refuse(request, response);
  };
}

function next(socket: Socket, turns: Turns): void {
  // The client has left, or the last response has ended the connection: nobody would read another one.
  if (!socket.writable) turns.waiting = [];
  const begin = turns.waiting.shift();
  if (begin) begin();
  else turns.isServing = false;
}
