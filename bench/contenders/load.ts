// A load client over bare sockets: a client over node:http costs more per request than the server under test.
import { connect, type Socket } from 'node:net';
import { answerParent } from '../lib/child.ts';
import type { Seen } from '../lib/load.ts';
import { markedIn, messageId, type Order, readRequests } from '../lib/requests.ts';
import { quantile, tailOf } from '../lib/statistics.ts';

type Sent = { readonly bytes: Buffer; readonly idsAt: readonly number[] };
/** Bytes of a whole response, and whether it is a 2xx; null while it is incomplete. */
type Answer = { readonly length: number; readonly isOk: boolean };

const HEAD_END = '\r\n\r\n';

const sentOf = ({ port }: Order, request: ReturnType<typeof readRequests>[number]): Sent => {
  const head = [
    `POST ${request.path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `x-api-key: ${request.key}`,
    `Content-Length: ${Buffer.byteLength(request.body)}`,
  ].join('\r\n');
  const text = `${head}${HEAD_END}${request.body}`;
  return { bytes: Buffer.from(text), idsAt: markedIn(text) };
};

const answerIn = (bytes: Buffer): Answer | null => {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${head}`);
  const whole = end + HEAD_END.length + Number(length);
  return bytes.length < whole ? null : { length: whole, isOk: head.startsWith('HTTP/1.1 2') };
};

const load = async (order: Order): Promise<Seen> => {
  const requests = readRequests(order).map((one) => sentOf(order, one));
  const latencies: number[] = [];
  let at = 0;
  let failures = 0;
  const startMs = performance.now();
  const endMs = startMs + order.seconds * 1_000;

  /** When request number `index` may be sent: at once, unless there is a fixed rate. */
  const dueMs = (index: number): number =>
    order.perSecond === undefined ? 0 : startMs + (index / order.perSecond) * 1_000;

  /** Sends one request after another until the time is over, and waits for the last response. */
  const talk = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let rest: Buffer = Buffer.alloc(0);
      let sentMs = 0;
      const next = (): void => {
        const index = at++;
        const due = dueMs(index);
        const now = performance.now();
        if (Math.max(due, now) >= endMs) socket.end();
        else if (due > now) setTimeout(send, due - now, index);
        else send(index);
      };
      const send = (index: number): void => {
        const request = requests[index % requests.length];
        if (!request) throw new Error('no requests');
        // Safe to change in place: the socket has sent the bytes of this request's last use long ago.
        for (const idAt of request.idsAt) request.bytes.write(messageId(), idAt, 'latin1');
        sentMs = performance.now();
        socket.write(request.bytes);
      };
      socket.on('data', (chunk: Buffer) => {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        const answer = answerIn(rest);
        if (answer === null) return;
        const now = performance.now();
        latencies.push(now - sentMs);
        if (!answer.isOk) failures += 1;
        rest = rest.subarray(answer.length);
        next();
      });
      socket.once('error', reject);
      socket.once('close', () => resolve());
      socket.setNoDelay(true);
      socket.once('connect', next);
    });

  await Promise.all(Array.from({ length: order.connections }, () => talk(connect(order.port, '127.0.0.1'))));
  const seconds = (performance.now() - startMs) / 1_000;
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: latencies.length - failures,
    failures,
    seconds,
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    p99Ms: quantile(sorted, 0.99),
    steadyP99Ms: tailOf(latencies, seconds).p99,
  };
};

answerParent({ run: load });
