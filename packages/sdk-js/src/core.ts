import { makeClient } from './client.ts';
import type { AnyEvents, Client } from './client-types.ts';
import type { ClientOptions } from './options.ts';

// The client for workers and servers, without auto-tracking.

export type { AnyEvents, Client, Properties, TokenFields } from './client-types.ts';
export { ApiError, type ClientCode, type ErrorCode, fieldErrors, isRateLimited, isTierRequired } from './errors.ts';
export type { ClientOptions, Consent } from './options.ts';
export type { QueuedEvent } from './queue.ts';

/**
 * Creates a client with a public key.
 *
 * @throws TypeError for a secret key in a browser
 */
export const createClient = <Events extends object = AnyEvents>(options: ClientOptions): Client<Events> =>
  makeClient<Events>(options, globalThis);
