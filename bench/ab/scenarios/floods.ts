import { connect, type Socket } from 'node:net';
import { newLp, newOrder, newUnlimitedAgent } from '../../../test/support/actors.ts';
import { msOfEach, ownCorridor, percentiles, type Scenario } from '../scenario.ts';

const PIECE = 'GET /readyz HTTP/1.1\r\nHost: corridor\r\n\r\n'.repeat(2_000);

export const FLOODS: Scenario = {
  question:
    'How much slower are an agent’s status reads while a stranger sends 2,000 requests for /readyz a second?',
  sizes: { reads: 300 },
  rounds: 5,
  warms: true,
  atMost: 5,
  async start(given) {
    const { corridor, port } = await ownCorridor(given, { AGENT_RATE_LIMIT: '0', PAY_RATE_LIMIT: '0' });
    await newLp(corridor);
    const agent = await newUnlimitedAgent(corridor);
    const path = `/api/v1/status/${await newOrder(agent)}`;
    const reads = async () => {
      const took = await msOfEach(given.size('reads'), async () => {
        const { status } = await agent.call('GET', path);
        if (status !== 200) throw new Error(`A read was answered with ${status}`);
      });
      return percentiles('read', took, 95);
    };
    return { quiet: reads, flooded: async () => reads().finally(flood(port)) };
  },
};

/** Opens a connection each second, each with 2,000 requests. Returns the function that ends the flood. */
function flood(port: number): () => void {
  const sockets = new Set<Socket>();
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(PIECE));
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.resume();
  };
  open();
  const timer = setInterval(open, 1_000);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}
