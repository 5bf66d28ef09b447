import type { Mailbox } from '../../../delivery/transports/port.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { messageScopes, type ProfileView } from '../../../people/profiles/view.ts';
import type { DryRunMessage } from '../answers.generated.ts';
import type { Channels } from '../channel.ts';
import { chooseContent } from '../deliver/choose-content.ts';
import { contentOf } from '../deliver/content.ts';
import type { TestView } from '../deliver/variants.ts';
import { describeMessage } from '../outbox/describe-message.ts';
import { addressOfRow, type NewMessage } from '../rows.ts';
import type { SendRequest } from '../schema.ts';

/** What rendering needs to know of a message that is not sent. */
export type RowFacts = {
  readonly profile: ProfileView | undefined;
  /** Locale of the reader; null: unknown. */
  readonly locale: string | null;
  readonly test: TestView | null;
  readonly defaultFrom: Mailbox;
  readonly statusCallback: string | null;
  readonly now: Date;
};

/**
 * Renders the message that the provider would get, or the reason that there is none. Pure. Call the channel's `ready`
 * first.
 */
export const renderedRow = (
  channels: Channels,
  row: NewMessage,
  request: SendRequest,
  { profile, locale, test, defaultFrom, statusCallback, now }: RowFacts,
): DryRunMessage => {
  const about = { userId: row.person === null ? null : userIdOf(row.person), address: row.address };
  if (row.reason !== null || row.address === null)
    return { ...about, status: 'suppressed', reason: row.reason ?? 'no_address', content: null };
  const { content } = chooseContent(channels[row.channel], { row, send: contentOf(request), test, locale });
  if (content === null) return { ...about, status: 'suppressed', reason: 'locale_unsupported', content: null };
  const rendered = channels[row.channel].render(content, {
    scope: row,
    messageId: row.id,
    sendId: row.sendId,
    to: addressOfRow(row, row.address),
    role: row.role,
    class: request.class,
    defaultFrom,
    statusCallback,
    scopes: messageScopes(request.variables, profile),
    now,
  });
  if (rendered.verdict === 'pass')
    return { ...about, status: 'queued', reason: null, content: describeMessage(rendered.message) };
  return rendered.verdict === 'suppressed'
    ? { ...about, status: 'suppressed', reason: rendered.reason, content: null }
    : { ...about, status: 'failed', reason: rendered.code, content: null };
};
