import type { AnyEvents, Client } from './client-types.ts';
import type { ClientOptions } from './options.ts';
import { makePageClient } from './page-client.ts';

// The client for pages.

export type { AnyEvents, Client, Properties, TokenFields } from './client-types.ts';
export { ApiError, type ClientCode, type ErrorCode, fieldErrors, isRateLimited, isTierRequired } from './errors.ts';
export type { ClientOptions, Consent } from './options.ts';
export type { QueuedEvent } from './queue.ts';

/**
 * A client of one public key; it tracks page views, sessions, links, and coming and going by itself unless `autoTrack`
 * is false, and nothing of these where there is no page.
 *
 * @throws TypeError for a secret key in a browser
 */
export const createClient = <Events extends object = AnyEvents>(options: ClientOptions): Client<Events> =>
  makePageClient<Events>(options, globalThis);
