// Links by which whoever gets a mail ends what it is part of: in two headers that mail clients read, and in the text
// where its author puts one. Source: RFC 8058; transports, Headers of every mail.

import type { SendClass } from '../../foundation/channel.ts';
import type { RenderScopes } from '../templates/render.ts';
import { API_PATH } from './tracking.ts';
import type { TrackedMail, TrackingTokens } from './tracking-tokens.ts';

/** The purpose that their keys are derived for. */
export const UNSUBSCRIBE_PURPOSE = 'email unsubscribe links';
/** How long a link is served, in days; ours: mail is kept for years, and a link that fails leads to a complaint. */
export const UNSUBSCRIBE_DAYS = 3_650;

/** What the sender of a marketing mail is told that carries none. */
export const NO_UNSUBSCRIBE_LINK =
  'This mail carries no List-Unsubscribe header, which mail providers ask of marketing: publicUrl has to be an https URL.';

/** The link of a mail; null: it is not marketing, or this service has no https URL. */
export type UnsubscribeLink = (mail: TrackedMail, sendClass: SendClass) => string | null;

/** True where links can be made: RFC 8058 asks for https. Throws nothing. */
export const canUnsubscribe = (publicUrl: string | null): publicUrl is string =>
  publicUrl?.startsWith('https://') === true;

/** Makes the function that makes links. */
export const unsubscribeLinks =
  ({ sign }: Pick<TrackingTokens, 'sign'>, publicUrl: string | null): UnsubscribeLink =>
  (mail, sendClass) =>
    sendClass === 'marketing' && canUnsubscribe(publicUrl)
      ? `${publicUrl}${API_PATH}/unsubscribe/${sign({ ...mail, url: null })}`
      : null;

const OWN = 'list-unsubscribe';

/** The headers of a mail with this link; none where its author wrote one. Throws nothing. */
export const unsubscribeHeaders = (
  link: string | null,
  given: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> =>
  link === null || Object.keys(given).some((name) => name.toLowerCase().startsWith(OWN))
    ? {}
    : { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

/** What the texts of a mail may read, with the link as `{{user.unsubscribeUrl}}`. Throws nothing. */
export const withUnsubscribe = (scopes: RenderScopes, link: string | null): RenderScopes =>
  link === null ? scopes : { ...scopes, user: { ...scopes.user, unsubscribeUrl: link } };
