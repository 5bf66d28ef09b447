import { autoTrack } from './auto/auto-track.ts';
import { makeClient } from './client.ts';
import type { Client } from './client-types.ts';
import { sendOnDeparture } from './departure.ts';
import type { Globals } from './globals.ts';
import type { ClientOptions } from './options.ts';
import { pageOf } from './page.ts';
import { unsubscribeOnReset } from './push/unsubscribe.ts';

/** Creates the client of a page for the environment `g`. Throws TypeError for a secret key in a browser. */
export const makePageClient = <Events extends object>(options: ClientOptions, g: Globals): Client<Events> => {
  const client = makeClient<Events>(options, g, pageOf);
  if (options.autoTrack !== false) autoTrack(client);
  sendOnDeparture(client);
  unsubscribeOnReset(client);
  return client;
};
