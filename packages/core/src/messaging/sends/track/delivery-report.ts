// Applies provider reports about accepted messages: delivered, bounced, failed, complained. Reports arrive late,
// repeatedly and in any order, so each is evaluated against the message's current state, and a repeated report changes
// nothing. The number of statements is constant, whatever the number of reports.

import { commitPlanned } from '../../../database/commit/commit-planned.ts';
import { type Write, write } from '../../../database/commit/write-set.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { overloaded } from '../../../foundation/errors.ts';
import { type InScope, scopeKey, scopeOf } from '../../../foundation/scope.ts';
import { type CatalogEvent, type Cause, type LoadedEmitter, NO_CAUSE } from '../../../people/events/emit.ts';
import type { SendsContext } from '../context.ts';
import { type MessageChange, messageTag } from '../finalize/change.ts';
import { bySend, sendKey } from '../finalize/counters.ts';
import { causesOf, deliveredName, describeMoment, isLate } from '../lifecycle.ts';
import { applyReport, COUNTED_AS_SENT, type MessageState, type Reported, type ReportResult } from './apply-report.ts';
import { isMarked, type Marks } from './marks.ts';
import { type ReportedRow, reportStatements } from './report-statements.ts';

export type { Reported } from './apply-report.ts';

export type DeliveryReport = {
  readonly scope: InScope;
  readonly channel: Channel;
  /** The message, by Beckon's id or the provider's. */
  readonly of: { readonly messageId: string; readonly providerId?: string } | { readonly providerId: string };
  readonly reported: Reported;
  /**
   * Event time according to the provider; a time before the message or in the future is replaced by the nearest
   * possible one.
   */
  readonly at: Date;
};

/**
 * Applies reports and resolves to their results, in order. Throws OVERLOADED, and what the database throws.
 *
 * @param marks written with the reports; if they exist already, no report is applied
 */
export type TakeReports = (reports: readonly DeliveryReport[], marks?: Marks) => Promise<readonly ReportResult[]>;

const momentOf = (at: Date, { createdAt }: ReportedRow, now: Date): Date =>
  new Date(Math.min(Math.max(at.getTime(), createdAt.getTime()), now.getTime()));

const keyOf = (scope: InScope, id: string): string => `${scopeKey(scope)}/${id}`;

/** Dependencies of provider reports. */
type ReportContext = Pick<SendsContext, 'storage' | 'tables' | 'clock' | 'emitter' | 'causes' | 'finalize'>;

/** The scope, among these, of a message; null: none. */
export type FindOwner = (messageId: string, scopeIds: readonly number[]) => Promise<InScope | null>;

/** Finds the scope of a message id that came from outside. */
export const ownerFinder = ({ storage, tables }: Pick<ReportContext, 'storage' | 'tables'>): FindOwner => {
  const hot = reportStatements(tables);
  return async (messageId, scopeIds) => {
    const [row] = await storage.select(
      hot.byId,
      scopeIds.map((scopeId) => [scopeId, messageId]),
    );
    return row ? scopeOf(row) : null;
  };
};

/** Makes the function that applies provider reports. */
export const deliveryReports = ({ storage, tables, clock, emitter, causes, finalize }: ReportContext): TakeReports => {
  const hot = reportStatements(tables);

  /** The messages of reports, in order; null: unknown. */
  const messagesOf = async (reports: readonly DeliveryReport[]): Promise<readonly (MessageState | null)[]> => {
    const byId = reports.flatMap(({ scope, of }) => ('messageId' in of ? [[scopeKey(scope), of.messageId]] : []));
    const byProvider = reports.flatMap(({ scope, channel, of }) =>
      'providerId' in of ? [[scopeKey(scope), channel, of.providerId]] : [],
    );
    const ids = new Map(
      reports.flatMap(({ scope, of }) =>
        'messageId' in of && of.providerId !== undefined ? [[keyOf(scope, of.messageId), of.providerId]] : [],
      ),
    );
    const found = (
      await Promise.all([storage.select(hot.byId, byId), storage.select(hot.byProviderId, byProvider)])
    ).flat();
    const sends = new Map(found.map((row) => [sendKey(row, row.sendId), [scopeKey(row), row.sendId] as const]));
    const rows = await storage.select(hot.sends, [...sends.values()]);
    const sendAt = new Map(rows.map((send) => [sendKey(send, send.id), send]));
    const states = new Map<string, MessageState>();
    const provided = new Map<string, MessageState>();
    for (const message of found) {
      const send = sendAt.get(sendKey(message, message.sendId));
      const key = keyOf(message, message.id);
      const state = states.get(key);
      const row = { ...message, workflowRunId: send?.workflowRunId ?? null, stepPath: send?.stepPath ?? null };
      const { status, deliveredAt, complainedAt, reason, errorCode, error, finishedAt } = message;
      const facts = { status, deliveredAt, complainedAt, reason, errorCode, error, finishedAt };
      const providerId = ids.get(key) ?? null;
      const one = state ?? { row, providerId, counted: status, tookAt: null, ...facts, changes: [] };
      states.set(key, one);
      if (message.providerId !== null) provided.set(`${message.channel}/${keyOf(message, message.providerId)}`, one);
    }
    return reports.map(({ scope, channel, of }) => {
      const one =
        'messageId' in of
          ? states.get(keyOf(scope, of.messageId))
          : provided.get(`${channel}/${keyOf(scope, of.providerId)}`);
      return one?.row.channel === channel ? one : null;
    });
  };

  const countsOf = (changed: readonly MessageState[]): Write[] => {
    const bySends = Map.groupBy(changed, ({ row }) => sendKey(row, row.sendId));
    return [...bySends.values()]
      .flatMap((some) => {
        const [first] = some;
        if (!first) return [];
        const row = { ...scopeOf(first.row), id: first.row.sendId, sent: 0, delivered: 0, failed: 0, bounced: 0 };
        for (const { row: before, counted, status, deliveredAt } of some) {
          const moved = Number(COUNTED_AS_SENT.has(status)) - Number(COUNTED_AS_SENT.has(counted));
          row.sent += moved;
          row.failed -= moved;
          if (before.status !== 'bounced' && status === 'bounced') row.bounced += 1;
          if (before.deliveredAt === null && deliveredAt !== null) row.delivered += 1;
          if (moved < 0 && deliveredAt !== null) row.delivered -= 1;
        }
        return row.sent === 0 && row.delivered === 0 && row.bounced === 0 ? [] : [row];
      })
      .sort(bySend)
      .map((row) => write(hot.count, row));
  };

  const sentAfterAll = (recovered: readonly MessageState[]): Write[] =>
    recovered
      .map(({ row }) => ({ ...scopeOf(row), id: row.sendId, status: 'sent' as const }))
      .sort(bySend)
      .map((row) => write(hot.sentAfterAll, row));

  /** Events of receipts and complaints. The end of a message is raised by the reaction for all ends. */
  const eventOf = (change: MessageChange, cause: Cause): CatalogEvent[] => {
    const { channel, messageId, sendId, status, from, feedback, at, person } = change;
    const name =
      feedback?.kind === 'complained'
        ? channel === 'email' && 'email.complained'
        : status === 'delivered' && status !== from && deliveredName(channel);
    if (!name) return [];
    const moment = describeMoment({ name, messageId, sendId, reason: null, errorCode: null, at });
    return [{ ...moment, scope: scopeOf(change), person, ...cause, isKept: isLate(messageId, at) }];
  };

  const eventsOf = async (changes: readonly MessageChange[]) => {
    if (changes.length === 0) return [];
    const emission: LoadedEmitter = await emitter.load(changes);
    const published = changes.filter((change) =>
      eventOf(change, NO_CAUSE).some(({ name }) => emission.hasSubscribers(change, name)),
    );
    const causeOf = await causesOf(causes, published);
    return changes
      .flatMap((change) => eventOf(change, published.includes(change) ? causeOf(change) : NO_CAUSE))
      .map(emission.emit);
  };

  const plan = async (reports: readonly DeliveryReport[], now: Date, results: ReportResult[]) => {
    const messages = await messagesOf(reports);
    reports.forEach(({ reported, at }, index) => {
      const states = messages[index] ?? null;
      results[index] = states === null ? 'unknown' : applyReport(states, reported, momentOf(at, states.row, now));
    });
    const providerId = [...new Set(messages.filter((one) => one !== null))];
    const changed = providerId.filter((one) => one.changes.length > 0 || one.errorCode !== one.row.errorCode);
    const recovered = changed.filter(({ counted, status }) => counted === 'failed' && COUNTED_AS_SENT.has(status));
    const changes = changed.flatMap((one) => one.changes);
    const [reacted, emitted] = await Promise.all([finalize.react(changes, now), eventsOf(changes)]);
    const rows = changed.flatMap((one): Write[] => {
      const { row, status, reason, errorCode, error, deliveredAt, complainedAt, finishedAt } = one;
      const key = { ...scopeOf(row), id: row.id };
      const isSame = status === row.status && errorCode === row.errorCode;
      const values = { status: row.status, newStatus: status, reason, errorCode, error, deliveredAt, finishedAt };
      if (one.tookAt !== null) {
        const sentAt = COUNTED_AS_SENT.has(status) ? one.tookAt : null;
        return [write(hot.tookAfterAll, { ...key, ...values, sentAt, providerId: one.providerId }, messageTag(row))];
      }
      return [
        ...(isSame ? [] : [write(hot.report, { ...key, ...values }, messageTag(row))]),
        ...(complainedAt === row.complainedAt
          ? []
          : [write(hot.complained, { ...key, complainedAt }, messageTag(row))]),
      ];
    });
    return {
      writes: [
        ...countsOf(changed),
        ...sentAfterAll(recovered),
        ...rows,
        ...reacted.writes,
        ...emitted.flatMap(({ writes }) => writes),
      ],
      wakes: [...reacted.wakes, ...emitted.flatMap(({ wakes }) => wakes)],
      hooks: reacted.hooks,
    };
  };

  return async (reports, marks) => {
    const results: ReportResult[] = [];
    const now = clock.now();
    const { ok, plan: committed } = await commitPlanned(storage, reports, {
      plan: async (all) => {
        const planned = await plan(all, now, results);
        const isAnyEvaluated = results.some((one) => one === 'applied' || one === 'ignored');
        return isAnyEvaluated && marks ? { ...planned, writes: [...marks.writes, ...planned.writes] } : planned;
      },
      isLost: (_, failed) => isMarked(marks, failed),
    });
    if (!ok) throw overloaded(1);
    return committed === null ? reports.map(() => 'repeated') : results;
  };
};
