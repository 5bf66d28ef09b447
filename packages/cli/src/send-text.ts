// Sends and their messages as text.

import type { Channel } from '@beckon/core';
import type { Answer, RowOf } from './api.ts';
import type { Screen } from './cells.ts';
import { toneOf } from './colour.ts';
import { shortAddress } from './message-text.ts';
import { type Column, type Line, tableText } from './output.ts';

type Send = Answer<`GET /${Channel}/sends/{id}`>;
type Message = RowOf<`GET /${Channel}/sends/{id}/messages`>;

const titleOf = (send: Send): readonly [name: string, value: string | null] =>
  'subject' in send ? ['subject', send.subject] : [send.channel === 'sms' ? 'text' : 'title', send.title];

/** Columns of a list of sends; fewer and shorter on a terminal, to leave room for the content. */
export const sendColumns = ({ isTTY, id: short, time }: Screen): readonly Column<Send>[] =>
  isTTY
    ? [
        ['ID', ({ id }) => short(id)],
        ['CREATED', ({ createdAt }) => time(createdAt)],
        ['CHANNEL', ({ channel }) => channel],
        ['STATUS', ({ status }) => status, toneOf],
        ['MESSAGES', ({ tokenCount }) => tokenCount],
        ['ERROR', ({ errorCode }) => errorCode],
        ['CONTENT', (send) => titleOf(send)[1]],
      ]
    : [
        ['ID', ({ id }) => id],
        ['CREATED', ({ createdAt }) => time(createdAt)],
        ['CHANNEL', ({ channel }) => channel],
        ['STATUS', ({ status }) => status, toneOf],
        ['SOURCE', ({ source }) => source],
        ['MESSAGES', ({ tokenCount }) => tokenCount],
        ['SENT', ({ counts }) => counts.sent],
        ['FAILED', ({ counts }) => counts.failed],
        ['SUPPRESSED', ({ counts }) => counts.suppressed],
        ['ERROR', ({ errorCode }) => errorCode],
        ['CONTENT', (send) => titleOf(send)[1]],
      ];

/** Columns of a send's messages; fewer and shorter on a terminal. */
export const messageColumns = ({ isTTY, id: short, time }: Screen): readonly Column<Message>[] =>
  isTTY
    ? [
        ['ID', ({ id }) => short(id)],
        ['STATUS', ({ status }) => status, toneOf],
        ['USER', ({ userId }) => userId],
        ['ADDRESS', ({ channel, address }) => shortAddress(channel, address)],
        ['REASON', ({ reason, errorCode }) => reason ?? errorCode],
        ['SENT', ({ sentAt }) => time(sentAt)],
      ]
    : [
        ['ID', ({ id }) => id],
        ['STATUS', ({ status }) => status, toneOf],
        ['USER', ({ userId }) => userId],
        ['PLATFORM', ({ platform }) => platform],
        ['ADDRESS', ({ address }) => address],
        ['ATTEMPT', ({ attempt }) => attempt],
        ['REASON', ({ reason }) => reason],
        ['ERROR', ({ errorCode }) => errorCode],
        ['ERROR MESSAGE', ({ error }) => error],
        ['SENT', ({ sentAt }) => time(sentAt)],
        ['PROVIDER ID', ({ providerId }) => providerId],
      ];

/** Messages as a table; no lines for an empty list. */
export const messageLines = (messages: readonly Message[], screen: Screen): Line[] =>
  messages.length === 0 ? [] : [(paint) => tableText(messages, messageColumns(screen), screen.isTTY, paint).trimEnd()];

const COUNTS = [
  'targeted',
  'queued',
  'deferred',
  'sent',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'opened',
  'clicked',
] as const;

/** `too_large: The email has 30 MB.`, or only the code; null: there is no error. Throws nothing. */
export const errorText = ({ errorCode, error }: Pick<Send, 'errorCode' | 'error'>): string | null =>
  errorCode === null || error === null ? errorCode : `${errorCode}: ${error}`;

/** The fields of a send that are not null. */
export const sendLines = (send: Send): string[] => {
  const fields: readonly (readonly [name: string, value: string | number | null])[] = [
    ['id', send.id],
    ['channel', send.channel],
    ['environment', send.environment],
    ['status', send.status],
    ['error', errorText(send)],
    ['source', send.source],
    ['class', send.class],
    titleOf(send),
    ['category', send.category],
    ['run', send.workflowRunId],
    ['step', send.stepPath],
    ['segment', send.audienceId],
    ['template', send.templateId === null ? null : `${send.templateId} (version ${send.templateVersion})`],
    ['created', send.createdAt],
    ['scheduled for', send.scheduledFor],
    ['started', send.startedAt],
    ['finished', send.finishedAt],
    ['cancelled', send.cancelledAt],
    ['messages', send.tokenCount],
    ...COUNTS.filter((name) => send.counts[name] > 0).map((name) => [name, send.counts[name]] as const),
  ];
  return fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
};
