import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { contained } from '../../foundation/contained.ts';

const ignore = contained(() => undefined);

/**
 * Listens for errors of connections from the moment the pool lends them. The server's last message may arrive in one
 * packet with the answer before it: then the new holder has had no turn to listen yet, and an error without a listener
 * ends the process. The error is not lost, since every later statement of that connection fails.
 *
 * @returns stops listening on further connections
 */
export const listenToLent = (pool: Pool): (() => void) => {
  const listening = new WeakSet<object>();
  const listen = contained((client: unknown) => {
    if (!(client instanceof EventEmitter) || listening.has(client)) return;
    listening.add(client);
    client.on('error', ignore);
  });
  pool.on('acquire', listen);
  return () => void pool.off('acquire', listen);
};
