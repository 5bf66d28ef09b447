// Sends and their messages as text for people.

import type { Message, Send } from '@beckon/core';
import { shortAddress, shortText } from './message-text.ts';
import { type Column, tableText } from './output.ts';

const time = (date: Date | null): string | null => (date === null ? null : date.toISOString());

const titleOf = (send: Send): readonly [name: string, value: string | null] =>
  'subject' in send ? ['subject', send.subject] : ['title', send.title];

/** Columns of a list of sends; a person's are shorter. */
export const sendColumns = (isTTY: boolean): readonly Column<Send>[] => [
  ['ID', ({ id }) => id],
  ['CREATED', ({ createdAt }) => time(createdAt)],
  ['CHANNEL', ({ channel }) => channel],
  ['STATUS', ({ status }) => status],
  ['SOURCE', ({ source }) => source],
  ['MESSAGES', ({ tokenCount }) => tokenCount],
  ['SENT', ({ counts }) => counts.sent],
  ['FAILED', ({ counts }) => counts.failed],
  ['SUPPRESSED', ({ counts }) => counts.suppressed],
  ['ERROR', ({ errorCode }) => errorCode],
  [
    'TITLE',
    (send) => {
      const [, title] = titleOf(send);
      return title !== null && isTTY ? shortText(title) : title;
    },
  ],
];

/** Columns of a send's messages; a person's are shorter. */
export const messageColumns = (isTTY: boolean): readonly Column<Message>[] => [
  ['ID', ({ id }) => id],
  ['STATUS', ({ status }) => status],
  ['USER', ({ userId }) => userId],
  ['PLATFORM', ({ platform }) => platform],
  ['ADDRESS', ({ channel, address }) => (isTTY ? shortAddress(channel, address) : address)],
  ['ATTEMPT', ({ attempt }) => attempt],
  ['REASON', ({ reason }) => reason],
  ['ERROR', ({ errorCode }) => errorCode],
  ['SAID', ({ error }) => error],
  ['SENT', ({ sentAt }) => time(sentAt)],
  ['PROVIDER ID', ({ providerId }) => providerId],
];

/** Messages as the lines of a table; none for none. */
export const messageLines = (messages: readonly Message[], isTTY: boolean): string[] =>
  messages.length === 0 ? [] : [tableText(messages, messageColumns(isTTY), isTTY).trimEnd()];

const COUNTS = [
  'targeted',
  'queued',
  'sent',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'opened',
  'clicked',
] as const;

/** One send, field by field; what it does not have is left out. */
export const sendLines = (send: Send): string[] => {
  const fields: readonly (readonly [name: string, value: string | number | null])[] = [
    ['id', send.id],
    ['channel', send.channel],
    ['environment', send.environment],
    ['status', send.status],
    ['error', send.errorCode === null ? null : `${send.errorCode}: ${send.error ?? ''}`],
    ['source', send.source],
    ['class', send.class],
    titleOf(send),
    ['category', send.category],
    ['run', send.workflowRunId],
    ['step', send.stepPath],
    ['created', time(send.createdAt)],
    ['scheduled for', time(send.scheduledFor)],
    ['started', time(send.startedAt)],
    ['finished', time(send.finishedAt)],
    ['cancelled', time(send.cancelledAt)],
    ['messages', send.tokenCount],
    ...COUNTS.filter((name) => send.counts[name] > 0).map((name) => [name, send.counts[name]] as const),
  ];
  return fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
};
