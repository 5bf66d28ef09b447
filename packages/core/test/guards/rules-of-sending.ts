import { MESSAGE_STATUSES, SEND_STATUSES } from '../../src/messaging/sends/schema.ts';
import { each, except, type Rule } from './rule.ts';

const KEY = ['scopeId', 'id'] as const;
const FENCED = [...KEY, 'fence'] as const;
const AT = new Date('2026-03-01T12:00:00.000Z');
const LEASED = { leaseUntil: AT, dueAt: AT };

const OPEN_SEND = ['queued', 'sending'] as const;
const ofOpenSend: Pick<Rule, 'row' | 'stops' | 'passes'> = {
  row: { status: 'sending' },
  stops: each('status', except(SEND_STATUSES, OPEN_SEND)),
  passes: each('status', OPEN_SEND),
};
const NOT_ENDED = ['queued', 'deferred', 'sending'] as const;
const ofMessage = (statuses: readonly (typeof MESSAGE_STATUSES)[number][]): Pick<Rule, 'row' | 'stops' | 'passes'> => ({
  row: { status: statuses[0] },
  stops: each('status', except(MESSAGE_STATUSES, statuses)),
  passes: each('status', statuses),
});

const handOver: Rule = {
  match: FENCED,
  isGuarded: true,
  write: { status: 'sending' },
  raises: ['attempt'],
  ...ofMessage(NOT_ENDED),
};
const finalize: Rule = {
  match: FENCED,
  isGuarded: true,
  isOnce: true,
  row: { status: 'sending', ...LEASED },
  stops: [{ leaseUntil: null }],
  empties: ['leaseUntil'],
};
/** The end of a send: all of its messages are final, with these counts. */
const finish = (row: { readonly sent: number; readonly failed: number; readonly suppressed: number }): Rule => ({
  match: KEY,
  empties: ['sealed'],
  row: { ...row, status: 'sending', targeted: row.sent + row.failed + row.suppressed },
  stops: [
    ...each('status', except(SEND_STATUSES, OPEN_SEND)),
    { dueAt: AT },
    { targeted: row.sent + row.failed + row.suppressed + 1 },
    // One message fewer per final status.
    ...Object.entries(row).flatMap(([key, count]) => (count > 0 ? [{ [key]: count - 1 }] : [])),
    ...(row.sent > 0 ? [{ sent: 0, suppressed: 9 }] : [{ sent: 1 }]),
    ...(row.sent > 0 ? [] : [{ failed: row.failed > 0 ? 0 : 1, suppressed: 9 }]),
  ],
  passes: [...each('status', OPEN_SEND), { targeted: 0 }],
});
const first = (key: string): Rule => ({
  match: KEY,
  isGuarded: true,
  isOnce: true,
  stops: [{ [key]: AT }],
});
const again = (key: string): Rule => ({ match: [...KEY, key], isGuarded: true, isOnce: true });

/** Changed counts of a send are reported to analytics once more. */
const counts: Rule = { match: KEY, empties: ['reportedAt'] };

const cancel = (match: readonly string[]): Rule => ({
  match,
  isGuarded: true,
  isOnce: true,
  row: { status: 'queued' },
  write: { status: 'cancelled' },
  empties: ['dueAt', 'sealed'],
  stops: [...each('status', except(SEND_STATUSES, ['queued'])), { startedAt: AT }],
});

/** Guards of sends and messages. */
export const RULES_OF_SENDING: Readonly<Record<string, Rule>> = {
  'sending.assign': { match: FENCED },
  'sending.hand_over': handOver,
  'sending.hand_over_as': handOver,
  'sending.settle': finalize,
  'sending.settle_sent': { ...finalize, empties: ['leaseUntil', 'dueAt', 'reason', 'errorCode', 'error'] },
  'sending.put_off': { match: FENCED, empties: ['leaseUntil'], ...ofMessage(NOT_ENDED) },
  'sending.claim_send': { match: KEY, isGuarded: true, write: { status: 'sending' }, ...ofOpenSend },
  'sending.count': counts,
  'sending.finish_sent': finish({ sent: 1, failed: 1, suppressed: 1 }),
  'sending.finish_failed': finish({ sent: 0, failed: 1, suppressed: 1 }),
  'sending.finish_suppressed': finish({ sent: 0, failed: 0, suppressed: 1 }),
  'sending.cancel_send': cancel(KEY),
  'sending.cancel_unsent': cancel([...KEY, 'targeted']),
  'sending.cancel_messages': { match: ['scopeId', 'sendId'], empties: ['dueAt'], ...ofMessage(['queued', 'deferred']) },
  'sending.advance': {
    match: [...FENCED, 'expandedRecipients'],
    isGuarded: true,
    isOnce: true,
    empties: ['reportedAt'],
    ...ofOpenSend,
  },
  'sending.put_off_send': { match: FENCED, empties: ['leaseUntil'], ...ofOpenSend },
  'sending.close': { match: FENCED, empties: ['leaseUntil', 'dueAt'] },
  'sending.give_up': { match: FENCED, empties: ['reportedAt'], ...ofOpenSend },
  'sending.count_engagement': counts,
  'sending.first_delivered': first('deliveredAt'),
  'sending.first_opened': first('openedAt'),
  'sending.first_clicked': first('clickedAt'),
  'sending.opened_again': again('lastOpenedAt'),
  'sending.clicked_again': again('lastClickedAt'),
  'sending.first_machine_open': first('machineOpenedAt'),
  'sending.machine_opened_again': again('machineOpenedAt'),
  'sending.machine_clicked': { match: KEY },
  'sending.deliver': { match: KEY, ...ofMessage(['sent']) },
  'sending.convert': { match: KEY },
  'sending.begin_variant': { match: ['scopeId', 'abTestId', 'variant'] },
  'sending.count_variant': { match: ['scopeId', 'abTestId', 'variant'] },
  'sending.count_report': counts,
  'sending.report': { match: [...KEY, 'status'], isGuarded: true, isOnce: true },
  'sending.took_after_all': {
    match: [...KEY, 'status'],
    isGuarded: true,
    isOnce: true,
    empties: ['leaseUntil', 'dueAt'],
  },
  'sending.sent_after_all': {
    match: KEY,
    row: { status: 'failed', sent: 1 },
    stops: [...each('status', except(SEND_STATUSES, ['failed'])), { sent: 0 }],
  },
  'sending.first_complained': first('complainedAt'),
  'sending.first_unsubscribed': { match: KEY },
};
