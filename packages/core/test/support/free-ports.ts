import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range for outgoing connections (Linux from 32768, others from 49152): an outgoing connection could take the
// port while a server that is killed and restarted does not listen on it.
const FIRST = 10_000;
const END = 32_000;
const TRIES = 100;

/** A used port is no failure here: the next one is tried. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/**
 * Free ports of loopback, all different.
 *
 * @throws Error if too few are found.
 */
export const freePorts = async (count: number): Promise<number[]> => {
  const found = new Set<number>();
  for (let tries = 0; found.size < count && tries < TRIES; tries++) {
    const port = randomInt(FIRST, END);
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  if (found.size < count) throw new Error(`Only ${found.size} of ${count} ports are free.`);
  return [...found];
};
