import { isUuid } from '../../../foundation/ids.ts';

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
