import { compact } from '../../foundation/compact.ts';
// What a message's row tells of its life, as events of the catalog. Raised as they happen where somebody listens, and
// read from the rows where nobody did (read/lifecycle.ts): both make the same id of the same moment.

import { CHANNELS, type Channel } from '../../foundation/channel.ts';
import { derivedId, millisecondOf, momentId } from '../../foundation/derived-id.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { CatalogName } from '../../people/events/catalog.ts';
import { type Cause, NO_CAUSE } from '../../people/events/emit.ts';
import { MAX_AGE_MS, MESSAGE_STATUSES, type MessageStatus } from './schema.ts';

/**
 * How long after a message was made its life is read from its row, in milliseconds; ours: a day more than it is tried.
 * What comes later is an event row, so that a page of somebody's history looks at the messages of few days.
 */
export const MESSAGE_SPAN_MS = MAX_AGE_MS + 86_400_000;

const PUSH: Partial<Record<MessageStatus, CatalogName>> = {
  sent: 'push.sent',
  // It was sent before it was seen.
  delivered: 'push.sent',
  bounced: 'push.failed',
  failed: 'push.failed',
  suppressed: 'push.suppressed',
  cancelled: 'push.cancelled',
};
const NAMES: Readonly<Record<Channel, Partial<Record<MessageStatus, CatalogName>>>> = {
  push: PUSH,
  email: { bounced: 'email.bounced' },
  sms: { failed: 'sms.failed' },
};

/** The event of a message that ended so; null: it has no name in the catalog. Throws nothing. */
export const endingName = (channel: Channel, status: MessageStatus): CatalogName | null =>
  NAMES[channel][status] ?? null;

/** The statuses of a channel's messages that are events of the catalog. Throws nothing. */
export const endingsOf = (channel: Channel): readonly MessageStatus[] =>
  MESSAGE_STATUSES.filter((status) => endingName(channel, status) !== null);

/** The event of a message's first receipt. */
export const deliveredName = (channel: Channel): CatalogName => `${channel}.delivered`;

/** What happened to which message. */
export type MessageMoment = {
  readonly name: CatalogName;
  readonly messageId: string;
  readonly sendId: string;
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly at: Date;
};

const RECEIPTS: ReadonlySet<CatalogName> = new Set(CHANNELS.map(deliveredName));

/** A complaint is no moment that a row tells by itself: it is an event row. */
const idOf = (name: CatalogName, messageId: string, at: Date): string =>
  name === 'email.complained'
    ? derivedId(at, `${name}/${messageId}`)
    : momentId(at, messageId, RECEIPTS.has(name) ? 1 : 0);

/** The event's id and what it says: equal for the row and for whoever raised it. Throws nothing. */
export const describeMoment = ({ name, messageId, sendId, reason, errorCode, at }: MessageMoment) => ({
  id: idOf(name, messageId, at),
  name,
  at,
  properties: {
    sendId,
    messageId,
    ...(reason === null ? {} : { reason }),
    ...(errorCode === null ? {} : { errorCode }),
  },
});

/** How a send ended that no message of it tells. */
export type SendEnding = {
  readonly name: 'push.cancelled' | 'push.suppressed' | 'push.failed';
  readonly sendId: string;
  readonly at: Date;
  readonly reason?: string;
  readonly errorCode?: string;
};

/** The event of a send that ended so: the same for its row and for whoever raised it. Throws nothing. */
export const describeSendEnding = ({ name, sendId, at, reason, errorCode }: SendEnding) => ({
  id: momentId(at, sendId, 0),
  name,
  at,
  properties: {
    sendId,
    ...compact({ reason, errorCode }),
  },
});

/** True for what is not looked for in the message's row any more. Throws nothing. */
export const isLate = (messageId: string, at: Date): boolean =>
  at.getTime() - millisecondOf(messageId) > MESSAGE_SPAN_MS;

/** What the events of runs' sends inherit: one level more than the run, and its share. One statement, whatever the number. */
export type LoadCauses = (
  runs: readonly (InScope & { readonly runId: string })[],
) => Promise<(run: InScope & { readonly runId: string }) => Cause>;

/** What a run sent, or nobody's run. */
type OfStep = InScope & { readonly step: { readonly runId: string } | null };

/** What the events of such messages inherit: nothing where no run sent them, and then nothing is read. */
export const causesOf = async (load: LoadCauses, messages: readonly OfStep[]): Promise<(message: OfStep) => Cause> => {
  const runs = messages.flatMap(({ scopeId, step }) => (step ? [{ scopeId, runId: step.runId }] : []));
  if (runs.length === 0) return () => NO_CAUSE;
  const causeOf = await load(runs);
  return ({ scopeId, step }) => (step ? causeOf({ scopeId, runId: step.runId }) : NO_CAUSE);
};
