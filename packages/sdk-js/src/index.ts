import type { AnyEvents, Client } from './client-types.ts';
import type { ClientOptions } from './options.ts';
import { makePageClient } from './page-client.ts';

// The client for pages.

export type { AnyEvents, Client, Properties, TokenFields } from './client-types.ts';
export { ApiError, type ClientCode, type ErrorCode, fieldErrors, isRateLimited, isTierRequired } from './errors.ts';
export type { ClientOptions, Consent } from './options.ts';
export type { QueuedEvent } from './queue.ts';

/**
 * Creates a client with a public key. It tracks page views, sessions, link clicks, foregrounding and backgrounding
 * unless
 * `autoTrack` is false; without a page it tracks none of these.
 *
 * @throws TypeError for a secret key in a browser
 */
export const createClient = <Events extends object = AnyEvents>(options: ClientOptions): Client<Events> =>
  makePageClient<Events>(options, globalThis);
