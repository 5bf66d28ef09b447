// The same load with autocannon, if it is installed in bench/peers.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answerParent } from '../lib/child.ts';
import { ID_MARK } from '../lib/fixtures.ts';
import type { Seen } from '../lib/load.ts';
import { messageId, type Order, readRequests } from '../lib/requests.ts';
import { quantile } from '../lib/statistics.ts';

/** The part of autocannon 9 that is used here. */
type Request = { path: string; headers: Record<string, string>; body: string };
type Instance = Promise<{ duration: number; '2xx': number; non2xx: number; errors: number }> & {
  on(event: 'response', listener: (client: unknown, status: number, bytes: number, ms: number) => void): void;
};
type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  requests: { method: 'POST'; setupRequest(request: Request): Request }[];
}) => Instance;

const load = async (order: Order & { folder: string }): Promise<Seen> => {
  // Safe: the package is pinned, and the types above describe the used part.
  const autocannon = createRequire(join(order.folder, 'package.json'))(order.folder) as Autocannon;
  const requests = readRequests(order);
  const latencies: number[] = [];
  let at = 0;
  const setupRequest = (request: Request): Request => {
    const one = requests[at++ % requests.length];
    if (!one) throw new Error('no requests');
    const { path, key } = one;
    const body = one.body.replaceAll(ID_MARK, messageId);
    return { ...request, path, body, headers: { 'Content-Type': 'application/json', 'x-api-key': key } };
  };
  const { port, connections, seconds: duration } = order;
  const running = autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration,
    requests: [{ method: 'POST', setupRequest }],
  });
  running.on('response', (_client, _status, _bytes, ms) => latencies.push(ms));
  const result = await running;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: result['2xx'],
    failures: result.non2xx + result.errors,
    seconds: result.duration,
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    p99Ms: quantile(sorted, 0.99),
  };
};

answerParent({ run: load });
