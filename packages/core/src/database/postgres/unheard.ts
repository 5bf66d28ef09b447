import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { contained } from '../../foundation/contained.ts';

const drop = contained(() => undefined);

/**
 * Hears the errors of connections from the moment on in which the pool lends them. The server's last word may come in one
 * packet with the answer before it: then whoever gets the connection has had no turn yet to listen, and an error that nobody
 * hears ends the process. It is not lost: every later statement of that connection fails.
 *
 * @returns hears of new ones no more
 */
export const hearLent = (pool: Pool): (() => void) => {
  const heard = new WeakSet<object>();
  const hear = contained((client: unknown) => {
    if (!(client instanceof EventEmitter) || heard.has(client)) return;
    heard.add(client);
    client.on('error', drop);
  });
  pool.on('acquire', hear);
  return () => void pool.off('acquire', hear);
};
