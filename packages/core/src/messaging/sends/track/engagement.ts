// Stores reports of devices and emails: shown, opened, clicked. The message keeps the first report of each kind; sends
// count them, and counted reports are stored as events of the user. Anyone with the email can request its links, so its
// reports count once a minute. Reports that race for being the first conflict and are planned again.

import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { type Write, write } from '../../../database/commit/write-set.ts';
import type { SelectKey } from '../../../database/statements/bulk.ts';
import type { Storage } from '../../../database/storage.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { overloaded } from '../../../foundation/errors.ts';
import type { Ids } from '../../../foundation/ids.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import type { CatalogName } from '../../../people/events/catalog.ts';
import {
  type CatalogEvent,
  type Cause,
  type Emitted,
  type Emitter,
  type LoadedEmitter,
  NO_CAUSE,
} from '../../../people/events/emit.ts';
import type { MessageChange, StepRef } from '../finalize/change.ts';
import type { Finalize } from '../finalize/finalize.ts';
import { deliveredChange } from '../finalize/outcome.ts';
import { causesOf, deliveredName, describeMoment, isLate, type LoadCauses } from '../lifecycle.ts';
import type { MessageRow } from '../store.ts';
import type { SendingTables } from '../tables.ts';
import { engagementStatements, type MESSAGE_COLUMNS } from './engagement-statements.ts';
import { type Client, type MachineReason, machineReason, UNKNOWN_CLIENT } from './machine.ts';
import { isMarked, type Marks } from './marks.ts';

/**
 * What happened to a message. A click counts as an open. `action` is what was clicked: a push's button or an email's
 * URL.
 */
export type Engagement =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'clicked'; readonly action: string };

export type EngagementReport = {
  readonly channel: Channel;
  readonly sendId: string;
  /** Null: not reported. The report belongs to the only message of the send, or to the send itself. */
  readonly messageId: string | null;
  readonly engagement: Engagement;
  readonly at: Date;
  /** Email only: who opened or clicked; absent: unknown. */
  readonly by?: Client | undefined;
};

/**
 * Stores one report. False: unknown send on that channel, or unknown message of the send. `repeated`: the marks of the
 * report exist already. Throws OVERLOADED.
 */
export type TakeReport = (scope: InScope, report: EngagementReport, marks?: Marks) => Promise<boolean | 'repeated'>;

/** Reports of one email within this time count once, in milliseconds. Source: contract, Message. */
const DEDUPLICATION_MS = 60_000;

const TAG = 'message';

type Counts = Record<'delivered' | 'opened' | 'uniqueOpened' | 'clicked' | 'uniqueClicked' | 'machineOpened', number>;
const NO_COUNTS: Counts = { delivered: 0, opened: 0, uniqueOpened: 0, clicked: 0, uniqueClicked: 0, machineOpened: 0 };
/** The rows that a report reads. */
type ReportedMessage = InScope &
  Pick<MessageRow, Exclude<(typeof MESSAGE_COLUMNS)[number], keyof InScope>> & { readonly step: StepRef | null };

/** Events of reports. Text messages are neither opened nor clicked. */
const NAMES = {
  push: ['push.delivered', 'push.opened', 'push.clicked'],
  email: ['email.delivered', 'email.opened', 'email.clicked'],
  sms: ['sms.delivered'],
} as const satisfies Readonly<Record<Channel, readonly CatalogName[]>>;

/** A report with ids for its events; two opens at the same time are two events. */
type RecordedReport = {
  readonly report: EngagementReport;
  readonly ids: Readonly<Record<'opened' | 'clicked', string>>;
};

const latest = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b > a) ? b : a);

/** Why an email report is automated; null: a person, or unknown. */
const machineOf = (
  { channel, engagement, at, by }: EngagementReport,
  message: ReportedMessage | null,
): MachineReason | null => {
  if (channel !== 'email' || engagement.kind === 'delivered') return null;
  return machineReason({
    ...(by ?? UNKNOWN_CLIENT),
    kind: engagement.kind,
    at,
    url: engagement.kind === 'clicked' ? engagement.action : null,
    sentAt: message?.sentAt ?? null,
    lastClickAt: message && latest(message.lastClickedAt, message.machineClickedAt),
    firstUrl: message?.clickAction ?? null,
  });
};

/** True if the same was reported for the email less than a minute ago. */
const isRepeated = (
  { channel, at, engagement: { kind } }: EngagementReport,
  message: ReportedMessage | null,
): boolean => {
  const last = kind === 'delivered' ? null : message?.[kind === 'opened' ? 'lastOpenedAt' : 'lastClickedAt'];
  return channel === 'email' && last instanceof Date && at.getTime() - last.getTime() < DEDUPLICATION_MS;
};

/**
 * What a report adds to the counts of its send. Opens and clicks count each time (for email once a minute) and once per
 * message as unique ones. A click on a push's button is its only report, so it counts as an open; an email reports its
 * opens separately, so a click counts as an open only if none is known.
 */
const countsOf = (report: EngagementReport, message: ReportedMessage | null): Counts => {
  const { channel, engagement } = report;
  const kind = isRepeated(report, message) ? 'repeated' : engagement.kind;
  const isClick = kind === 'clicked';
  const isOpen = kind === 'opened' || (isClick && (channel === 'push' || message?.openedAt === null));
  return {
    delivered: kind === 'delivered' && (message === null || message.deliveredAt === null) ? 1 : 0,
    opened: isOpen ? 1 : 0,
    uniqueOpened: isOpen && message !== null && message.openedAt === null ? 1 : 0,
    clicked: isClick ? 1 : 0,
    uniqueClicked: isClick && message !== null && message.clickedAt === null ? 1 : 0,
    machineOpened: 0,
  };
};

/** The first receipt makes a sent message delivered. */
const changesOf = ({ engagement, at }: EngagementReport, message: ReportedMessage | null): readonly MessageChange[] =>
  engagement.kind === 'delivered' && message?.deliveredAt === null && message.status === 'sent'
    ? [deliveredChange(message, message.step, at)]
    : [];

const propertiesOf = ({ channel, sendId, engagement }: EngagementReport, messageId: string, isClick: boolean) => {
  const about = { sendId, messageId };
  if (!isClick || engagement.kind !== 'clicked') return about;
  return channel === 'email' ? { ...about, url: engagement.action } : { ...about, clickAction: engagement.action };
};

/** Makes the function that stores engagement reports. */
export const engagementOf = ({
  storage,
  tables,
  ids,
  emitter,
  causes,
  finalize,
}: {
  readonly storage: Pick<Storage, 'commit' | 'select'>;
  readonly tables: SendingTables;
  readonly ids: Ids;
  readonly emitter: Emitter;
  readonly causes: LoadCauses;
  readonly finalize: Pick<Finalize, 'react'>;
}): TakeReport => {
  const hot = engagementStatements(tables);

  /** The message of a report; null: no particular one; undefined: unknown send or message. */
  const messageOf = async (scope: InScope, report: EngagementReport): Promise<ReportedMessage | null | undefined> => {
    const { channel, sendId, messageId } = report;
    const key = (id: string): SelectKey => [scopeKey(scope), id];
    const [[send], [named]] = await Promise.all([
      storage.select(hot.send, [key(sendId)]),
      messageId === null ? [] : storage.select(hot.message, [key(messageId)]),
    ]);
    if (send?.channel !== channel) return undefined;
    const { workflowRunId: runId, stepPath: path } = send;
    const step = runId === null || path === null ? null : { runId, path };
    if (messageId !== null) return named?.sendId === sendId ? { ...named, step } : undefined;
    const hasOneMessage = send.tokenCount === 1 && send.targeted === 1 && send.dueAt === null;
    if (!hasOneMessage) return null;
    const [only, another] = await storage.select(hot.messagesOf, [key(sendId)]);
    return only && !another ? { ...only, step } : null;
  };

  /** One event per count that the report adds to. */
  const eventsOf = (
    scope: InScope,
    { report, ids: eventIds }: RecordedReport,
    { id, person }: ReportedMessage,
    cause: Cause,
    counts: Counts,
  ): CatalogEvent[] => {
    const { channel, sendId, at } = report;
    const common = { scope, person, at, ...cause };
    const events: CatalogEvent[] = [];
    if (counts.delivered > 0) {
      const moment = { name: deliveredName(channel), messageId: id, sendId, reason: null, errorCode: null, at };
      events.push({ ...common, ...describeMoment(moment), isKept: isLate(id, at) });
    }
    for (const kind of ['opened', 'clicked'] as const) {
      if (counts[kind] === 0 || channel === 'sms') continue;
      const name = `${channel}.${kind}` as const;
      const properties = propertiesOf(report, id, kind === 'clicked');
      events.push({ ...common, id: eventIds[kind], name, properties });
    }
    return events;
  };

  /** Causes that the events inherit; read only if there are subscribers. */
  const causeOf = async (
    scope: InScope,
    { channel }: EngagementReport,
    message: ReportedMessage | null,
    { hasSubscribers }: LoadedEmitter,
  ): Promise<Cause> => {
    const isNeeded = NAMES[channel].some((name) => hasSubscribers(scope, name));
    if (!isNeeded || !message) return NO_CAUSE;
    const change = { ...scopeOf(scope), step: message.step };
    return (await causesOf(causes, [change]))(change);
  };

  /** The writes of an automated report: separate counts, no events. */
  const machinePlan = (
    scope: InScope,
    { sendId, engagement, at }: EngagementReport,
    message: ReportedMessage | null,
    machine: MachineReason,
  ): Emitted => {
    const last = message?.machineOpenedAt ?? null;
    const isOpen = engagement.kind === 'opened' && (last === null || at.getTime() - last.getTime() >= DEDUPLICATION_MS);
    const writes = isOpen ? [write(hot.count, { ...scopeOf(scope), id: sendId, ...NO_COUNTS, machineOpened: 1 })] : [];
    if (message === null) return { writes, wakes: [] };
    const key = { ...scopeOf(scope), id: message.id };
    if (engagement.kind === 'clicked')
      writes.push(write(hot.machineClicked, { ...key, machineReason: machine, machineClickedAt: at }));
    else if (isOpen && last === null)
      writes.push(write(hot.firstMachineOpen, { ...key, machineReason: machine, machineOpenedAt: at }, TAG));
    else if (isOpen)
      writes.push(write(hot.machineOpenedAgain, { ...key, machineOpenedAt: last, newMachineOpenedAt: at }, TAG));
    return { writes, wakes: [] };
  };

  /** Counts a report for the variant of its message. */
  const variantWrites = (
    scope: InScope,
    { abTestId, variant }: ReportedMessage,
    { opened, clicked }: Counts,
  ): Write[] => {
    if (abTestId === null || variant === null || opened + clicked === 0) return [];
    const key = { ...scopeOf(scope), abTestId, variant };
    const { begin, count } = hot.variants;
    return [write(begin, { ...key, opened: 0, clicked: 0 }), write(count, { ...key, opened, clicked })];
  };

  const planOf = (
    scope: InScope,
    recorded: RecordedReport,
    message: ReportedMessage | null,
    cause: Cause,
    { emit }: LoadedEmitter,
  ): Emitted => {
    const { report } = recorded;
    const { channel, sendId, engagement, at } = report;
    const counts = countsOf(report, message);
    const isCounted = Object.values(counts).some((added) => added > 0);
    const writes = isCounted ? [write(hot.count, { ...scopeOf(scope), id: sendId, ...counts })] : [];
    if (message === null) return { writes, wakes: [] };
    writes.push(...variantWrites(scope, message, counts));
    const key = { ...scopeOf(scope), id: message.id };
    if (counts.delivered > 0) writes.push(write(hot.delivered, { ...key, deliveredAt: at }, TAG));
    if (counts.uniqueOpened > 0) writes.push(write(hot.opened, { ...key, openedAt: at, lastOpenedAt: at }, TAG));
    else if (channel === 'email' && counts.opened > 0)
      writes.push(write(hot.openedAgain, { ...key, lastOpenedAt: message.lastOpenedAt, newLastOpenedAt: at }, TAG));
    if (counts.uniqueClicked > 0 && engagement.kind === 'clicked')
      writes.push(
        write(hot.clicked, { ...key, clickedAt: at, clickAction: engagement.action, lastClickedAt: at }, TAG),
      );
    else if (channel === 'email' && counts.clicked > 0)
      writes.push(write(hot.clickedAgain, { ...key, lastClickedAt: message.lastClickedAt, newLastClickedAt: at }, TAG));
    const emitted = eventsOf(scope, recorded, message, cause, counts).map(emit);
    return {
      writes: [...writes, ...emitted.flatMap((one) => one.writes)],
      wakes: emitted.flatMap(({ wakes }) => wakes),
    };
  };

  return async (scope, report, marks) => {
    const recorded = { report, ids: { opened: ids.next(), clicked: ids.next() } };
    let isFound = true;
    const { ok, plan: committed } = await commitPlanned(storage, [report], {
      plan: async () => {
        const [message, emission] = await Promise.all([messageOf(scope, report), emitter.load([scope])]);
        isFound = message !== undefined;
        if (message === undefined) return { writes: [] };
        const machine = machineOf(report, message);
        const cause = machine ? NO_CAUSE : await causeOf(scope, report, message, emission);
        const planned = machine
          ? machinePlan(scope, report, message, machine)
          : planOf(scope, recorded, message, cause, emission);
        const changes = changesOf(report, message);
        const reacted = await finalize.react(changes, report.at);
        const statuses = changes.map(({ messageId: id, status }) =>
          write(hot.deliver, { ...scopeOf(scope), id, status }),
        );
        return {
          writes: [...(marks?.writes ?? []), ...planned.writes, ...statuses, ...reacted.writes],
          wakes: [...planned.wakes, ...reacted.wakes],
          hooks: reacted.hooks,
        };
      },
      isLost: (_, failed) => isMarked(marks, failed),
    });
    if (!ok) throw overloaded(1);
    return committed === null ? 'repeated' : isFound;
  };
};
