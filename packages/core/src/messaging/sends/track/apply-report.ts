import { compact } from '../../../foundation/compact.ts';
// What one report of a provider makes of a message, as it stands after the reports before it. Pure but for the standing that
// it moves on.

import type { MessageChange } from '../finalize/change.ts';
import { deliveredChange } from '../finalize/outcome.ts';
import { addressOfRow } from '../rows.ts';
import type { MessageStatus } from '../schema.ts';
import { AMBIGUOUS } from '../verdict.ts';
import type { ReportedRow } from './report-statements.ts';

export type Reported =
  /** Of text messages: the provider has it, and passed it on. */
  | { readonly kind: 'sent' }
  /** The mailbox, or the phone, has it. */
  | { readonly kind: 'delivered' }
  /**
   * Of mail. A permanent one is about the address: the message is `bounced` and the address is listed. A final one is not:
   * the message is `failed` and the address stays as it is. Any other is noted on the message.
   */
  | {
      readonly kind: 'bounced';
      readonly isPermanent: boolean;
      /** Nobody got the mail, and nobody tries again; absent: that is not known. */
      readonly isFinal?: boolean;
      readonly code: string;
      readonly message: string;
    }
  /** Of text messages. `opted_out`: the number wants no more, of `sender` or, where that is absent, of any. */
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly address?: 'opted_out';
      readonly sender?: string;
    }
  /** Of mail: whoever got it calls it spam. */
  | { readonly kind: 'complained' };

/**
 * What a report came to. `ignored`: it was told before, or the message's end says otherwise. `early`: its message is still
 * in hand, whose own answer comes first; report it again. `unknown`: the scope has no such message on that channel.
 * `repeated`: its marks were there.
 */
export type ReportResult = 'applied' | 'ignored' | 'early' | 'unknown' | 'repeated';

const IN_HAND: ReadonlySet<MessageStatus> = new Set(['queued', 'deferred', 'sending']);
/** Statuses of a message that its provider took. */
const ACCEPTED: ReadonlySet<MessageStatus> = new Set(['sent', 'delivered', 'bounced']);
/** Of them those that count as sent. */
export const COUNTED_AS_SENT: ReadonlySet<MessageStatus> = new Set(['sent', 'delivered']);
/** Characters of a provider's words that are kept; ours, as of answers. */
const MAX_TEXT = 500;

const clean = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, MAX_TEXT).toWellFormed();

/** A message as the reports of one call leave it, one after the other. */
export type MessageState = {
  readonly row: ReportedRow;
  /** The provider's id of it, where a report told one. */
  readonly providerId: string | null;
  status: MessageStatus;
  /** As what its send counts it once the reactions have counted. */
  counted: MessageStatus;
  /** When it turned out that its provider has it, of which nobody knew. */
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

/** What a provider said of the address of this message, for whoever keeps lists. */
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
 * A text message is never sent again without an answer, so its provider's own word is the last chance to learn of it:
 * of one that is in hand it is the answer, of one that was given up it puts right what was only assumed.
 */
const takeAfterAll = (state: MessageState, at: Date): void => {
  state.changes.push(changeOf(state, { status: 'sent', providerId: state.providerId }, at));
  if (state.status === 'sending') state.counted = 'sent';
  Object.assign(state, { status: 'sent', tookAt: at, reason: null, errorCode: null, error: null, finishedAt: at });
};

/** The same of one that its provider has and could not deliver: it fails once, for the reason that is known. */
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
 * Whether a mail that was given up reached its provider after all, of which nobody heard: only of one that it had somebody says
 * that it came back for good, or was spam.
 */
const isOfDeadLettered = ({ row, status }: MessageState, reported: Reported): boolean =>
  row.channel === 'email' &&
  status === 'failed' &&
  (reported.kind === 'complained' || (reported.kind === 'bounced' && reported.isPermanent));

/** What one report makes of its message. A bounce wins over a receipt, and neither comes back. Source: transports, Status rule. */
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
      // One that the phone has cannot fail any more.
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
