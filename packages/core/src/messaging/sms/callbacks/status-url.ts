import { isUuid } from '../../../foundation/ids.ts';
import type { Scopes } from '../../../platform/tenancy/scope-directory.ts';
import type { StatusCallback } from '../../sends/status-callback.ts';

/** Where a provider reports what becomes of one message: the project's org in the path, our id of the message behind it. */
export const statusUrl = (
  publicUrl: string,
  { provider, orgId, messageId }: { readonly provider: string; readonly orgId: string; readonly messageId: string },
): string => `${publicUrl}/api/v1/sms/webhooks/${provider}/${encodeURIComponent(orgId)}?m=${messageId}`;

/** Our id of the message that a report is about, as its URL names it; null: it names none. Throws nothing. */
export const messageIdOf = (url: URL): string | null => {
  const id = url.searchParams.get('m');
  return id !== null && isUuid(id) ? id.toLowerCase() : null;
};

/** Where providers report text messages: nowhere without a public URL, or where nothing could verify the report. */
export const statusCallbacks =
  (scopes: Pick<Scopes, 'known'>, publicUrl: string | null): StatusCallback =>
  (message, { provider, inbound }) => {
    // The scope was read to find the connection.
    const orgId = scopes.known(message.scopeId)?.orgId;
    if (publicUrl === null || orgId === undefined || !inbound || inbound.secrets.length === 0) return null;
    return statusUrl(publicUrl, { provider, orgId, messageId: message.id });
  };
