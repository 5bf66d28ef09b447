import { isUuid } from '../../../foundation/ids.ts';
import type { Scopes } from '../../../platform/tenancy/scope-directory.ts';
import type { StatusCallback } from '../../sends/status-callback.ts';

/** The URL for reports of one message: with the organization in its path and Beckon's message id in its query. */
export const statusUrl = (
  publicUrl: string,
  { provider, orgId, messageId }: { readonly provider: string; readonly orgId: string; readonly messageId: string },
): string => `${publicUrl}/api/v1/sms/webhooks/${provider}/${encodeURIComponent(orgId)}?m=${messageId}`;

/** Beckon's message id in the URL of a report; null: none. Throws nothing. */
export const messageIdOf = (url: URL): string | null => {
  const id = url.searchParams.get('m');
  return id !== null && isUuid(id) ? id.toLowerCase() : null;
};

/** Makes the status callback of text messages: null without a public URL, or if no secret could verify a report. */
export const statusCallbacks =
  (scopes: Pick<Scopes, 'known'>, publicUrl: string | null): StatusCallback =>
  (message, { provider, inbound }) => {
    // The scope is cached since the connection was looked up.
    const orgId = scopes.known(message.scopeId)?.orgId;
    if (publicUrl === null || orgId === undefined || !inbound || inbound.secrets.length === 0) return null;
    return statusUrl(publicUrl, { provider, orgId, messageId: message.id });
  };
