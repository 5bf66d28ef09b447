// What providers report of messages that they took: delivered, bounced, failed, complained. They come late, twice and in
// any order, so each is judged by how its message stands, and a report that changed something once changes nothing again.
// Reads and writes are a constant number of statements, whatever the number of reports.

import type { Channel } from '../../api.ts';
import { overloaded } from '../../errors.ts';
import type { CatalogEvent, Emission, Emitter } from '../../events/emit.ts';
import { type InScope, scopeKey, scopeOf } from '../../primitives/scope.ts';
import { commitPlanned } from '../../storage/commit-planned.ts';
import type { Storage } from '../../storage/storage.ts';
import { type Write, write } from '../../storage/write-set.ts';
import { deliveredName, depthsOf, describeMoment, isLate, type LoadDepths } from '../lifecycle.ts';
import { addressOfRow } from '../rows.ts';
import type { MessageStatus } from '../schema.ts';
import { type MessageChange, messageTag } from '../settle/change.ts';
import { bySend, sendKey } from '../settle/counters.ts';
import { deliveredChange } from '../settle/outcome.ts';
import type { Settle } from '../settle/settle.ts';
import type { SendingTables } from '../tables.ts';
import { type ReportedRow, reportStatements } from './report-statements.ts';

export type Reported =
  /** The mailbox, or the phone, has it. */
  | { readonly kind: 'delivered' }
  /** Of mail. Only a permanent one ends the message and puts the address on its list. */
  | { readonly kind: 'bounced'; readonly isPermanent: boolean; readonly code: string; readonly message: string }
  /** Of text messages. `opted_out`: the number wants no more. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly address?: 'opted_out' }
  /** Of mail: whoever got it calls it spam. */
  | { readonly kind: 'complained' };

export type DeliveryReport = {
  readonly scope: InScope;
  readonly channel: Channel;
  /** Which message: by our id of it, or by its provider's. */
  readonly of: { readonly messageId: string } | { readonly providerId: string };
  readonly reported: Reported;
  /** When it happened, as the provider says; one before the message, or to come, is taken as the nearest moment that may be. */
  readonly at: Date;
};

/**
 * What a report came to. `ignored`: it was told before, or the message's end says otherwise. `early`: its message is still
 * in hand, whose own answer comes first; report it again. `unknown`: the scope has no such message on that channel.
 */
export type ReportTaken = 'applied' | 'ignored' | 'early' | 'unknown';

/** Takes reports and answers what each came to, in their order. Throws OVERLOADED, and what the database throws. */
export type TakeReports = (reports: readonly DeliveryReport[]) => Promise<readonly ReportTaken[]>;

const IN_HAND: ReadonlySet<MessageStatus> = new Set(['queued', 'deferred', 'sending']);
/** Statuses of a message that its provider took. */
const TAKEN: ReadonlySet<MessageStatus> = new Set(['sent', 'delivered', 'bounced']);
/** Characters of a provider's words that are kept; ours, as of answers. */
const MAX_TEXT = 500;

const clean = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, MAX_TEXT).toWellFormed();

/** A message as the reports of one call leave it, one after the other. */
type Standing = {
  readonly row: ReportedRow;
  status: MessageStatus;
  deliveredAt: Date | null;
  complainedAt: Date | null;
  reason: ReportedRow['reason'];
  errorCode: string | null;
  error: string | null;
  finishedAt: Date | null;
  readonly changes: MessageChange[];
};

const momentOf = (at: Date, { createdAt }: ReportedRow, now: Date): Date =>
  new Date(Math.min(Math.max(at.getTime(), createdAt.getTime()), now.getTime()));

const stepOf = ({ workflowRunId: runId, stepPath: path }: ReportedRow) =>
  runId === null || path === null ? null : { runId, path };

/** What a provider said of the address of this message, for whoever keeps lists. */
const feedbackOf = (row: ReportedRow, kind: 'bounced' | 'opted_out' | 'complained'): MessageChange['feedback'] => {
  if (row.address === null) return null;
  const about = addressOfRow(row, row.address);
  return kind === 'complained' ? { ...about, kind } : { ...about, kind, deadSince: null };
};

const changeOf = (standing: Standing, more: Partial<MessageChange>, at: Date): MessageChange => ({
  ...deliveredChange({ ...standing.row, status: standing.status }, stepOf(standing.row), at),
  status: standing.status,
  ...more,
});

const deliver = (standing: Standing, at: Date): ReportTaken => {
  if (standing.deliveredAt !== null || standing.status !== 'sent') return 'ignored';
  standing.changes.push(changeOf(standing, { status: 'delivered' }, at));
  standing.status = 'delivered';
  standing.deliveredAt = at;
  return 'applied';
};

const end = (
  standing: Standing,
  {
    status,
    code,
    message,
    address,
  }: { status: 'bounced' | 'failed'; code: string; message: string; address: 'bounced' | 'opted_out' | null },
  at: Date,
): ReportTaken => {
  const [errorCode, error] = [clean(code), clean(message)];
  const feedback = address === null ? null : feedbackOf(standing.row, address);
  standing.changes.push(changeOf(standing, { status, reason: address, errorCode, error, feedback }, at));
  Object.assign(standing, { status, reason: address, errorCode, error, finishedAt: at });
  return 'applied';
};

/** What one report makes of its message. A bounce wins over a receipt, and neither comes back. Source: transports, Status rule. */
const apply = (standing: Standing, reported: Reported, at: Date): ReportTaken => {
  const { status } = standing;
  if (IN_HAND.has(status)) return 'early';
  if (!TAKEN.has(status)) return 'ignored';
  switch (reported.kind) {
    case 'delivered':
      return deliver(standing, at);
    case 'bounced': {
      if (status === 'bounced') return 'ignored';
      const { code, message } = reported;
      if (reported.isPermanent) return end(standing, { status: 'bounced', code, message, address: 'bounced' }, at);
      const [errorCode, error] = [clean(code), clean(message)];
      if (status === 'delivered' || standing.errorCode === errorCode) return 'ignored';
      Object.assign(standing, { errorCode, error });
      return 'applied';
    }
    case 'failed': {
      // One that the phone has cannot fail any more.
      if (status !== 'sent') return 'ignored';
      const { code, message, address = null } = reported;
      return end(standing, { status: 'failed', code, message, address }, at);
    }
    case 'complained': {
      if (standing.complainedAt !== null) return 'ignored';
      const feedback = feedbackOf(standing.row, 'complained');
      standing.changes.push(changeOf(standing, { feedback }, at));
      standing.complainedAt = at;
      return 'applied';
    }
    default:
      return reported satisfies never;
  }
};

const keyOf = (scope: InScope, id: string): string => `${scopeKey(scope)}/${id}`;

export type ReportDeps = {
  readonly storage: Pick<Storage, 'commit' | 'select'>;
  readonly tables: SendingTables;
  readonly clock: { now(): Date };
  readonly emitter: Emitter;
  readonly depths: LoadDepths;
  readonly settle: Pick<Settle, 'react'>;
};

/** Whose messages a provider speaks of, by its own ids of them; one that nobody sent is missing. One statement. */
export type FindReported = (
  channel: Channel,
  providerIds: readonly string[],
) => Promise<readonly (InScope & { readonly messageId: string; readonly providerId: string })[]>;

/** Finds whose messages reports are about, before anything of them is trusted. */
export const reportedFinder = ({ storage, tables }: Pick<ReportDeps, 'storage' | 'tables'>): FindReported => {
  const hot = reportStatements(tables);
  return async (channel, providerIds) => {
    const rows = await storage.select(
      hot.ofAll,
      [...new Set(providerIds)].map((id) => [channel, id]),
    );
    return rows.flatMap(({ scopeId, id, providerId }) =>
      providerId === null ? [] : [{ scopeId, messageId: id, providerId }],
    );
  };
};

/** Whose message this is, among these scopes; null: nobody's. */
export type FindOwner = (messageId: string, scopeIds: readonly number[]) => Promise<InScope | null>;

/** Finds whose message an id of ours names that came from outside. */
export const ownerFinder = ({ storage, tables }: Pick<ReportDeps, 'storage' | 'tables'>): FindOwner => {
  const hot = reportStatements(tables);
  return async (messageId, scopeIds) => {
    const [row] = await storage.select(
      hot.byId,
      scopeIds.map((scopeId) => [scopeId, messageId]),
    );
    return row ? scopeOf(row) : null;
  };
};

/** Takes what providers report. */
export const deliveryReports = ({ storage, tables, clock, emitter, depths, settle }: ReportDeps): TakeReports => {
  const hot = reportStatements(tables);

  /** The messages of reports, in their order; null: there is none. */
  const messagesOf = async (reports: readonly DeliveryReport[]): Promise<readonly (Standing | null)[]> => {
    const byId = reports.flatMap(({ scope, of }) => ('messageId' in of ? [[scopeKey(scope), of.messageId]] : []));
    const byProvider = reports.flatMap(({ scope, channel, of }) =>
      'providerId' in of ? [[scopeKey(scope), channel, of.providerId]] : [],
    );
    const found = (
      await Promise.all([storage.select(hot.byId, byId), storage.select(hot.byProviderId, byProvider)])
    ).flat();
    const sends = new Map(found.map((row) => [sendKey(row, row.sendId), [scopeKey(row), row.sendId] as const]));
    const rows = await storage.select(hot.sends, [...sends.values()]);
    const sendAt = new Map(rows.map((send) => [sendKey(send, send.id), send]));
    const standing = new Map<string, Standing>();
    const provided = new Map<string, Standing>();
    for (const message of found) {
      const send = sendAt.get(sendKey(message, message.sendId));
      const key = keyOf(message, message.id);
      const known = standing.get(key);
      const row = { ...message, workflowRunId: send?.workflowRunId ?? null, stepPath: send?.stepPath ?? null };
      const { status, deliveredAt, complainedAt, reason, errorCode, error, finishedAt } = message;
      const facts = { status, deliveredAt, complainedAt, reason, errorCode, error, finishedAt };
      const one = known ?? { row, ...facts, changes: [] };
      standing.set(key, one);
      if (message.providerId !== null) provided.set(`${message.channel}/${keyOf(message, message.providerId)}`, one);
    }
    return reports.map(({ scope, channel, of }) => {
      const one =
        'messageId' in of
          ? standing.get(keyOf(scope, of.messageId))
          : provided.get(`${channel}/${keyOf(scope, of.providerId)}`);
      return one?.row.channel === channel ? one : null;
    });
  };

  const countsOf = (changed: readonly Standing[]): Write[] => {
    const bySends = Map.groupBy(changed, ({ row }) => sendKey(row, row.sendId));
    return [...bySends.values()]
      .flatMap((some) => {
        const [first] = some;
        if (!first) return [];
        const row = { ...scopeOf(first.row), id: first.row.sendId, sent: 0, delivered: 0, failed: 0, bounced: 0 };
        for (const { row: before, status, deliveredAt } of some) {
          const isEnded = status !== before.status && status !== 'delivered';
          if (isEnded) row.sent -= 1;
          if (isEnded) row.failed += 1;
          if (isEnded && status === 'bounced') row.bounced += 1;
          if (before.deliveredAt === null && deliveredAt !== null) row.delivered += 1;
          if (isEnded && deliveredAt !== null) row.delivered -= 1;
        }
        return row.sent === 0 && row.delivered === 0 ? [] : [row];
      })
      .sort(bySend)
      .map((row) => write(hot.count, row));
  };

  /** Of a receipt and of a complaint; a message that ends is told by the reaction that tells of all ends. */
  const eventOf = (change: MessageChange, depth: number): CatalogEvent[] => {
    const { channel, messageId, sendId, status, from, feedback, at, person } = change;
    const name =
      feedback?.kind === 'complained'
        ? channel === 'email' && 'email.complained'
        : status === 'delivered' && status !== from && deliveredName(channel);
    if (!name) return [];
    const moment = describeMoment({ name, messageId, sendId, reason: null, errorCode: null, at });
    return [{ ...moment, scope: scopeOf(change), person, depth, isKept: isLate(messageId, at) }];
  };

  const eventsOf = async (changes: readonly MessageChange[]) => {
    if (changes.length === 0) return [];
    const emission: Emission = await emitter.load(changes);
    const heard = changes.filter((change) => eventOf(change, 0).some(({ name }) => emission.isHeard(change, name)));
    const depthOf = await depthsOf(depths, heard);
    return changes
      .flatMap((change) => eventOf(change, heard.includes(change) ? depthOf(change) : 0))
      .map(emission.emit);
  };

  const plan = async (reports: readonly DeliveryReport[], now: Date, taken: ReportTaken[]) => {
    const messages = await messagesOf(reports);
    reports.forEach(({ reported, at }, index) => {
      const standing = messages[index] ?? null;
      taken[index] = standing === null ? 'unknown' : apply(standing, reported, momentOf(at, standing.row, now));
    });
    const told = [...new Set(messages.filter((one) => one !== null))];
    const changed = told.filter((one) => one.changes.length > 0 || one.errorCode !== one.row.errorCode);
    const changes = changed.flatMap((one) => one.changes);
    const [reacted, emitted] = await Promise.all([settle.react(changes, now), eventsOf(changes)]);
    const rows = changed.flatMap((one): Write[] => {
      const { row, status, reason, errorCode, error, deliveredAt, complainedAt, finishedAt } = one;
      const key = { ...scopeOf(row), id: row.id };
      const isSame = status === row.status && errorCode === row.errorCode;
      const values = { status: row.status, newStatus: status, reason, errorCode, error, deliveredAt, finishedAt };
      return [
        ...(isSame ? [] : [write(hot.report, { ...key, ...values }, messageTag(row))]),
        ...(complainedAt === row.complainedAt
          ? []
          : [write(hot.complained, { ...key, complainedAt }, messageTag(row))]),
      ];
    });
    return {
      writes: [...countsOf(changed), ...rows, ...reacted.writes, ...emitted.flatMap(({ writes }) => writes)],
      wakes: [...reacted.wakes, ...emitted.flatMap(({ wakes }) => wakes)],
      along: reacted.along,
    };
  };

  return async (reports) => {
    const taken: ReportTaken[] = [];
    const now = clock.now();
    const { ok } = await commitPlanned(storage, reports, { plan: (all) => plan(all, now, taken) });
    if (!ok) throw overloaded(1);
    return taken;
  };
};
