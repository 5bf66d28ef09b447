/*
 * Sends one organization's events to a service: `URL KEY RATE`. RATE is events a second in batches; 0 means as many as
 * are answered. It is a separate process, so that its work delays no measurement. Each line of its input requests
 * figures, and the end of its input stops it.
 */
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

const [url = '', key = '', rate = '0'] = process.argv.slice(2);
/** Concurrent requests of the flood, events of each, and number of different bodies. */
const AT_ONCE = 60;
const EACH = 200;
/** Of a paced flood: a batch each 25 ms at 2,000 a second. */
const EACH_PACED = 50;
const BODIES = 50;
const each = Number(rate) === 0 ? EACH : EACH_PACED;

const event = (at: number): object => ({
  ...{ module: 'm', eventType: 'm.e', userId: `user-${at % 5_000}`, properties: { at } },
});
const bodies = Array.from({ length: BODIES }, (_, body) =>
  JSON.stringify({ batch: Array.from({ length: each }, (__, at) => event(body * each + at)) }),
);
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const state = { isOver: false, sent: 0, stored: 0 };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** The response status; 0: the connection broke. */
const send = (): Promise<number> =>
  new Promise((resolve) => {
    const body = bodies[state.sent % BODIES] ?? '';
    state.sent += 1;
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    request(`${url}/api/v1/events/batch`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', () => resolve(0))
      .end(body);
  });
const sendOne = async (): Promise<void> => {
  if ((await send()) === 200) {
    state.stored += each;
    return;
  }
  if (Number(rate) === 0) await pause(50);
};

const client = async (): Promise<void> => {
  while (!state.isOver) await sendOne();
};
const paced = async (): Promise<void> => {
  const start = performance.now();
  const sent: Promise<void>[] = [];
  for (let at = 0; !state.isOver; at += 1) {
    await pause(Math.max(0, start + (at * each * 1_000) / Number(rate) - performance.now()));
    sent.push(sendOne());
  }
  await Promise.all(sent);
};
const all = Number(rate) === 0 ? Promise.all(Array.from({ length: AT_ONCE }, client)) : paced();

createInterface(process.stdin)
  .on('line', () => console.log(JSON.stringify(state)))
  .once('close', () => {
    state.isOver = true;
    all.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
