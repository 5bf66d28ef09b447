import { compact } from '../../foundation/compact.ts';
// Derives the catalog events of a message from its row. An event is raised as it happens if it has subscribers, and
// read from the row otherwise (read/lifecycle.ts). Both derive the same event id.

import { CHANNELS, type Channel } from '../../foundation/channel.ts';
import { derivedId, millisecondOf, momentId } from '../../foundation/derived-id.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { CatalogName } from '../../people/events/catalog.ts';
import { type Cause, NO_CAUSE } from '../../people/events/emit.ts';
import { MAX_AGE_MS, MESSAGE_STATUSES, type MessageStatus } from './schema.ts';

/**
 * How long after its creation a message's events are read from its row, in milliseconds. Chosen: one day more than
 * MAX_AGE_MS. Later events are stored as event rows, so a page of a user's history reads the messages of few days.
 */
export const MESSAGE_SPAN_MS = MAX_AGE_MS + 86_400_000;

const PUSH: Partial<Record<MessageStatus, CatalogName>> = {
  sent: 'push.sent',
  // The push was sent before it was seen.
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

/** The catalog event of a message that ended with this status; null: there is none. Throws nothing. */
export const endingName = (channel: Channel, status: MessageStatus): CatalogName | null =>
  NAMES[channel][status] ?? null;

/** The final message statuses of a channel that are catalog events. Throws nothing. */
export const endingsOf = (channel: Channel): readonly MessageStatus[] =>
  MESSAGE_STATUSES.filter((status) => endingName(channel, status) !== null);

/** The catalog event of a message's first delivery receipt. */
export const deliveredName = (channel: Channel): CatalogName => `${channel}.delivered`;

/** What happened to a message, and when. */
export type MessageMoment = {
  readonly name: CatalogName;
  readonly messageId: string;
  readonly sendId: string;
  readonly reason: string | null;
  readonly errorCode: string | null;
  readonly at: Date;
};

const RECEIPTS: ReadonlySet<CatalogName> = new Set(CHANNELS.map(deliveredName));

/** Row-derived id. A complaint cannot be derived from a row alone; it is an event row. */
const idOf = (name: CatalogName, messageId: string, at: Date): string =>
  name === 'email.complained'
    ? derivedId(at, `${name}/${messageId}`)
    : momentId(at, messageId, RECEIPTS.has(name) ? 1 : 0);

/** Id and properties of the event, equal for the row-derived and the raised event. Throws nothing. */
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

/** How a send ended whose end no message shows. */
export type SendEnding = {
  readonly name: 'push.cancelled' | 'push.suppressed' | 'push.failed';
  readonly sendId: string;
  readonly at: Date;
  readonly reason?: string;
  readonly errorCode?: string;
};

/** The event of such a send, equal for the row-derived and the raised event. Throws nothing. */
export const describeSendEnding = ({ name, sendId, at, reason, errorCode }: SendEnding) => ({
  id: momentId(at, sendId, 0),
  name,
  at,
  properties: {
    sendId,
    ...compact({ reason, errorCode }),
  },
});

/** True if the event is too late to be read from the message's row. Throws nothing. */
export const isLate = (messageId: string, at: Date): boolean =>
  at.getTime() - millisecondOf(messageId) > MESSAGE_SPAN_MS;

/**
 * Loads the causes that events of workflow messages inherit: one level deeper than the run, and the run's budget. One
 * statement, whatever the number of runs.
 */
export type LoadCauses = (
  runs: readonly (InScope & { readonly runId: string })[],
) => Promise<(run: InScope & { readonly runId: string }) => Cause>;

/** A message of a workflow run, or of no run. */
type OfStep = InScope & { readonly step: { readonly runId: string } | null };

/**
 * The causes that events of these messages inherit. Messages without a run inherit nothing, and nothing is read for
 * them.
 */
export const causesOf = async (load: LoadCauses, messages: readonly OfStep[]): Promise<(message: OfStep) => Cause> => {
  const runs = messages.flatMap(({ scopeId, step }) => (step ? [{ scopeId, runId: step.runId }] : []));
  if (runs.length === 0) return () => NO_CAUSE;
  const causeOf = await load(runs);
  return ({ scopeId, step }) => (step ? causeOf({ scopeId, runId: step.runId }) : NO_CAUSE);
};
