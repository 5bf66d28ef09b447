// The upper limit of every ingest figure: node:http that reads a body, parses it and answers the same envelope.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent, meter, rssMb } from '../lib/child.ts';

const usage = meter();
let answered = 0;

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof body !== 'object') throw new TypeError('an event is an object');
    answered += 1;
    const text = `{"success":true,"data":{"id":"00000000-0000-7000-8000-${String(answered).padStart(12, '0')}","accepted":true}}`;
    res.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(text)),
    });
    res.end(text);
  });
});

answerParent({
  start: () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        // Safe: it listens on a port, so its address is neither null nor a path.
        const { port } = server.address() as AddressInfo;
        resolve({ port, keys: ['none'] });
      });
    }),
  idle: rssMb,
  answered: () => answered,
  begin: usage.begin,
  end: usage.end,
});
