import { compact } from '../../../foundation/compact.ts';
// Applies one provider report to a message, in its state after earlier reports. Pure except that it updates this state.

import type { MessageChange } from '../finalize/change.ts';
import { deliveredChange } from '../finalize/outcome.ts';
import { addressOfRow } from '../rows.ts';
import type { MessageStatus } from '../schema.ts';
import { AMBIGUOUS } from '../verdict.ts';
import type { ReportedRow } from './report-statements.ts';

export type Reported =
  /** Text messages: the provider has passed it on. */
  | { readonly kind: 'sent' }
  /** The mailbox or phone received it. */
  | { readonly kind: 'delivered' }
  /**
   * Emails. A permanent bounce concerns the address: the message is `bounced` and the address is listed. A final one
   * does not: the message is `failed` and the address stays usable. Any other is only noted on the message.
   */
  | {
      readonly kind: 'bounced';
      readonly isPermanent: boolean;
      /** The email was not delivered and is not retried; absent: unknown. */
      readonly isFinal?: boolean;
      readonly code: string;
      readonly message: string;
    }
  /** Text messages. `opted_out`: the number opted out of `sender`, or of all senders if absent. */
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly address?: 'opted_out';
      readonly sender?: string;
    }
  /** Emails: the recipient reported spam. */
  | { readonly kind: 'complained' };

/**
 * Result of a report. `ignored`: it was reported before, or the message's end contradicts it. `early`: the message is
 * still in hand and its own answer comes first; report again. `unknown`: the scope has no such message on that channel.
 * `repeated`: the marks exist.
 */
export type ReportResult = 'applied' | 'ignored' | 'early' | 'unknown' | 'repeated';

const IN_HAND: ReadonlySet<MessageStatus> = new Set(['queued', 'deferred', 'sending']);
/** Statuses of a message that its provider accepted. */
const ACCEPTED: ReadonlySet<MessageStatus> = new Set(['sent', 'delivered', 'bounced']);
/** Those of them that count as sent. */
export const COUNTED_AS_SENT: ReadonlySet<MessageStatus> = new Set(['sent', 'delivered']);
/** Stored characters of a provider's text. Chosen: as for answers. */
const MAX_TEXT = 500;

const clean = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, MAX_TEXT).toWellFormed();

/** The state of a message while the reports of one call are applied in order. */
export type MessageState = {
  readonly row: ReportedRow;
  /** The provider's message id, if a report has it. */
  readonly providerId: string | null;
  status: MessageStatus;
  /** The status that its send counts after the reactions. */
  counted: MessageStatus;
  /** When a report showed that the provider accepted it, which was unknown. */
  tookAt: Date | null;
  deliveredAt: Date | null;
  complainedAt: Date | null;
  reason: ReportedRow['reason'];
  errorCode: string | null;
  error: string | null;
  finishedAt: Date | null;
  readonly changes: MessageChange[];
};

const stepOf = ({ workflowRunId: runId, stepPath: path }: ReportedRow) =>
  runId === null || path === null ? null : { runId, path };

/** What a report says about the address, for suppression lists. */
const feedbackOf = (
  row: ReportedRow,
  kind: 'bounced' | 'opted_out' | 'complained',
  sender: string | undefined,
): MessageChange['feedback'] => {
  if (row.address === null) return null;
  const about = addressOfRow(row, row.address);
  if (kind === 'complained') return { ...about, kind };
  return { ...about, kind, deadSince: null, ...compact({ sender }) };
};

const changeOf = (state: MessageState, more: Partial<MessageChange>, at: Date): MessageChange => ({
  ...deliveredChange({ ...state.row, status: state.status }, stepOf(state.row), at),
  status: state.status,
  ...more,
});

const deliver = (state: MessageState, at: Date): ReportResult => {
  if (state.deliveredAt !== null || state.status !== 'sent') return 'ignored';
  state.changes.push(changeOf(state, { status: 'delivered' }, at));
  state.status = 'delivered';
  state.deliveredAt = at;
  return 'applied';
};

const end = (
  state: MessageState,
  {
    status,
    code,
    message,
    address,
    sender,
  }: {
    status: 'bounced' | 'failed';
    code: string;
    message: string;
    address: 'bounced' | 'opted_out' | null;
    sender?: string | undefined;
  },
  at: Date,
): ReportResult => {
  const [errorCode, error] = [clean(code), clean(message)];
  const feedback = address === null ? null : feedbackOf(state.row, address, sender);
  state.changes.push(changeOf(state, { status, reason: address, errorCode, error, feedback }, at));
  Object.assign(state, { status, reason: address, errorCode, error, finishedAt: at });
  return 'applied';
};

const isAmbiguous = ({ row, status, errorCode }: MessageState): boolean =>
  row.channel === 'sms' && status === 'failed' && errorCode === AMBIGUOUS.code;

/**
 * A text message without an answer is never sent again, so the provider's report is the last source: for a message in
 * hand it is the answer, for a dead-lettered one it corrects the assumed end.
 */
const takeAfterAll = (state: MessageState, at: Date): void => {
  state.changes.push(changeOf(state, { status: 'sent', providerId: state.providerId }, at));
  if (state.status === 'sending') state.counted = 'sent';
  Object.assign(state, { status: 'sent', tookAt: at, reason: null, errorCode: null, error: null, finishedAt: at });
};

/** The same for a message that the provider accepted and could not deliver: it fails once, for the known reason. */
const failAfterAll = (state: MessageState, reported: Extract<Reported, { kind: 'failed' }>, at: Date): ReportResult => {
  const { code, message, address = null, sender } = reported;
  state.tookAt = at;
  if (state.status === 'sending') {
    state.counted = 'failed';
    return end(state, { status: 'failed', code, message, address, sender }, at);
  }
  Object.assign(state, { reason: address, errorCode: clean(code), error: clean(message) });
  return 'applied';
};

/**
 * True if a dead-lettered email reached its provider after all: only then can it bounce permanently or be reported as
 * spam.
 */
const isOfDeadLettered = ({ row, status }: MessageState, reported: Reported): boolean =>
  row.channel === 'email' &&
  status === 'failed' &&
  (reported.kind === 'complained' || (reported.kind === 'bounced' && reported.isPermanent));

/**
 * Applies one report to its message. A bounce wins over a receipt, and neither is reverted. Source: transports, Status
 * rule.
 */
export const applyReport = (state: MessageState, reported: Reported, at: Date): ReportResult => {
  const isUnheard = isAmbiguous(state) || (state.row.channel === 'sms' && state.status === 'sending');
  if (isUnheard && reported.kind === 'failed') return failAfterAll(state, reported, at);
  if (isUnheard) takeAfterAll(state, at);
  const { status } = state;
  if (IN_HAND.has(status)) return 'early';
  if (!ACCEPTED.has(status) && !isOfDeadLettered(state, reported)) return 'ignored';
  switch (reported.kind) {
    case 'sent':
      return isUnheard ? 'applied' : 'ignored';
    case 'delivered':
      return deliver(state, at);
    case 'bounced': {
      if (status === 'bounced') return 'ignored';
      const { code, message } = reported;
      if (reported.isPermanent) return end(state, { status: 'bounced', code, message, address: 'bounced' }, at);
      if (reported.isFinal && status === 'sent')
        return end(state, { status: 'failed', code, message, address: null }, at);
      const [errorCode, error] = [clean(code), clean(message)];
      if (status === 'delivered' || state.errorCode === errorCode) return 'ignored';
      Object.assign(state, { errorCode, error });
      return 'applied';
    }
    case 'failed': {
      // A message that the phone received can no longer fail.
      if (status !== 'sent') return 'ignored';
      const { code, message, address = null, sender } = reported;
      return end(state, { status: 'failed', code, message, address, sender }, at);
    }
    case 'complained': {
      if (state.complainedAt !== null) return 'ignored';
      const feedback = feedbackOf(state.row, 'complained', undefined);
      state.changes.push(changeOf(state, { feedback }, at));
      state.complainedAt = at;
      return 'applied';
    }
    default:
      return reported satisfies never;
  }
};
