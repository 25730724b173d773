import { Counter, Gauge, type Registry } from '@prometheus-io/client';

/** The status of an accepted handshake. */
const SWITCHED = 101;

export interface SocketMetrics {
  /** A handshake was answered; 101: it was accepted. */
  answered: (status: number) => void;
  opened: () => void;
  closed: () => void;
}

/** The LPs' connections to the order feed. */
export function createSocketMetrics(registry: Registry): SocketMetrics {
  const registers = [registry];
  const open = new Gauge({
    name: 'corridor_sockets',
    help: 'Open connections to the order feed',
    registers,
  });
  const handshakes = new Counter({
    name: 'corridor_socket_handshakes_total',
    help: 'Requests for a connection to the order feed by response status',
    labelNames: ['http_response_status_code'],
    registers,
  });
  handshakes.inc({ http_response_status_code: SWITCHED }, 0);
  return {
    answered: (status) => handshakes.inc({ http_response_status_code: status }),
    opened: () => open.inc(),
    closed: () => open.dec(),
  };
}
