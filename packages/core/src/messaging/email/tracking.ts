import { z } from 'zod';
import type { MarkedText } from '../templates/render.ts';
import { trackedHtml } from './tracked-html.ts';
import type { TrackedMail, TrackingTokens } from './tracking-tokens.ts';

/** Path of this service's routes below `publicUrl`. Source: contract, Routes. */
export const API_PATH = '/api/v1';

/** `tracking` of an email. Source: contract, Sends and Settings. */
export const trackingFields = {
  opens: z
    .boolean()
    .optional()
    .describe('Whether to track opens. Default: the email setting `tracking.opens`, which is false.'),
  clicks: z
    .boolean()
    .optional()
    .describe('Whether to track clicks. Default: the email setting `tracking.clicks`, which is false.'),
};

const fields = z.object(trackingFields);
export type RequestedTracking = z.infer<typeof fields>;

/** What is tracked of an email, and the base URL of its links. */
export type Tracking = { readonly opens: boolean; readonly clicks: boolean; readonly baseUrl: string };

/**
 * The tracking to store with an email, so that the sending worker does not need the URL; null: none. `unavailable`:
 * tracking was requested without a configured `publicUrl`; the settings then track nothing. Throws nothing.
 *
 * @param defaults settings of the channel, for what the request leaves out
 */
export const trackingOf = (
  requested: RequestedTracking = {},
  publicUrl: string | null,
  defaults: RequestedTracking = {},
): Tracking | null | 'unavailable' => {
  if (publicUrl === null) return requested.opens || requested.clicks ? 'unavailable' : null;
  const { opens = defaults.opens ?? false, clicks = defaults.clicks ?? false } = requested;
  return opens || clicks ? { opens, clicks, baseUrl: publicUrl + API_PATH } : null;
};

/** Error for requested tracking without a `publicUrl`. */
export const TRACKING_UNAVAILABLE =
  'requires the setting publicUrl, the public URL of this server. The operator sets it.';

/** Adds tracking to an email's HTML. Pure; throws nothing. */
export type TrackHtml = (html: MarkedText, how: Tracking, mail: TrackedMail) => string;

/**
 * Makes the function that routes links and a pixel through this service. Links to the service itself (for example
 * unsubscribe links) stay, and so do links whose host comes from a value.
 */
export const htmlTracker =
  ({ sign }: Pick<TrackingTokens, 'sign'>): TrackHtml =>
  (html, { opens, clicks, baseUrl }, mail) => {
    const serviceUrl = `${new URL(baseUrl).href}/`;
    return trackedHtml(html, {
      link: clicks
        ? (url) => (url.startsWith(serviceUrl) ? null : `${baseUrl}/email/c/${sign({ ...mail, url })}`)
        : null,
      pixel: opens ? `${baseUrl}/email/o/${sign({ ...mail, url: null })}` : null,
    });
  };
