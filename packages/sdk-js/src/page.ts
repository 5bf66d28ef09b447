import type { Globals } from './globals.ts';

/** Properties of a page view; empty on a server. */
export const pageOf = (
  { document, location }: Globals,
  referrer = document?.referrer,
): Readonly<Record<string, unknown>> => ({
  url: location?.href,
  path: location?.pathname,
  title: document?.title,
  referrer,
});
