// Unsubscribe links: in two headers that mail clients use, and in the text if the author inserts one. Source: RFC 8058;
// transports, Headers of every mail.

import type { SendClass } from '../../foundation/channel.ts';
import type { RenderScopes } from '../templates/render.ts';
import { API_PATH } from './tracking.ts';
import type { TrackedMail, TrackingTokens } from './tracking-tokens.ts';

/** Purpose for which their keys are derived. */
export const UNSUBSCRIBE_PURPOSE = 'email unsubscribe links';
/** Lifetime of a link, in days. Chosen: emails are kept for years, and a broken link leads to a spam complaint. */
export const UNSUBSCRIBE_DAYS = 3_650;

/** Warning for a marketing email without an unsubscribe link. */
export const NO_UNSUBSCRIBE_LINK =
  'This mail carries no List-Unsubscribe header, which mail providers ask of marketing: publicUrl has to be an https URL.';

/** Unsubscribe link of an email; null: not marketing, or no https URL. */
export type UnsubscribeLink = (mail: TrackedMail, sendClass: SendClass) => string | null;

/** True if links are possible: RFC 8058 requires https. Throws nothing. */
export const canUnsubscribe = (publicUrl: string | null): publicUrl is string =>
  publicUrl?.startsWith('https://') === true;

/** Makes the function that builds the links. */
export const unsubscribeLinks =
  ({ sign }: Pick<TrackingTokens, 'sign'>, publicUrl: string | null): UnsubscribeLink =>
  (mail, sendClass) =>
    sendClass === 'marketing' && canUnsubscribe(publicUrl)
      ? `${publicUrl}${API_PATH}/unsubscribe/${sign({ ...mail, url: null })}`
      : null;

const UNSUBSCRIBE_HEADERS = 'list-unsubscribe';

/** Headers with this link; none if the author set one of them. Throws nothing. */
export const unsubscribeHeaders = (
  link: string | null,
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> =>
  link === null || Object.keys(headers).some((name) => name.toLowerCase().startsWith(UNSUBSCRIBE_HEADERS))
    ? {}
    : { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

/** Adds the link to the template scopes as `{{user.unsubscribeUrl}}`. Throws nothing. */
export const withUnsubscribe = (scopes: RenderScopes, link: string | null): RenderScopes =>
  link === null ? scopes : { ...scopes, user: { ...scopes.user, unsubscribeUrl: link } };
