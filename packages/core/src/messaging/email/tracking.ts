import { z } from 'zod';
import type { MarkedText } from '../templates/render.ts';
import { trackedHtml } from './tracked-html.ts';
import type { TrackedMail, TrackingTokens } from './tracking-tokens.ts';

/** Where this service's routes are, below the operator's `publicUrl`. Source: contract, Routes. */
export const API_PATH = '/api/v1';

/** `tracking` of a mail. Source: contract, Sends and Settings. */
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

/** What is tracked of a mail, and below which URL its links are served. */
export type Tracking = { readonly opens: boolean; readonly clicks: boolean; readonly baseUrl: string };

/**
 * What to track in an email, stored with it; null: nothing. `unavailable`: the request asks for tracking, and the operator
 * has set no `publicUrl`. Without it the settings track nothing. Throws nothing.
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

/** What the caller of a mail that asks for tracking is told where it is unavailable. */
export const TRACKING_UNAVAILABLE =
  'requires the setting publicUrl, the public URL of this server. The operator sets it.';

/** A mail's HTML with what tracks it. Pure; throws nothing. */
export type TrackHtml = (html: MarkedText, how: Tracking, mail: TrackedMail) => string;

/**
 * Makes the function that has links and an image of a mail lead through this service. Links to the service itself (to
 * unsubscribe, say) are left as they are, and so are those whose host is of a value.
 */
export const htmlTracker =
  ({ sign }: Pick<TrackingTokens, 'sign'>): TrackHtml =>
  (html, { opens, clicks, baseUrl }, mail) => {
    const ours = `${new URL(baseUrl).href}/`;
    return trackedHtml(html, {
      link: clicks ? (url) => (url.startsWith(ours) ? null : `${baseUrl}/email/c/${sign({ ...mail, url })}`) : null,
      pixel: opens ? `${baseUrl}/email/o/${sign({ ...mail, url: null })}` : null,
    });
  };
