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
import { AMBIGUOUS } from '../verdict.ts';
import { isMarked, type Marks } from './marks.ts';
import { type ReportedRow, reportStatements } from './report-statements.ts';

export type Reported =
  /** Of text messages: the provider has it, and passed it on. */
  | { readonly kind: 'sent' }
  /** The mailbox, or the phone, has it. */
  | { readonly kind: 'delivered' }
  /** Of mail. Only a permanent one ends the message and puts the address on its list. */
  | { readonly kind: 'bounced'; readonly isPermanent: boolean; readonly code: string; readonly message: string }
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

export type DeliveryReport = {
  readonly scope: InScope;
  readonly channel: Channel;
  /** Which message: by our id of it, or by its provider's. */
  readonly of: { readonly messageId: string; readonly providerId?: string } | { readonly providerId: string };
  readonly reported: Reported;
  /** When it happened, as the provider says; one before the message, or to come, is taken as the nearest moment that may be. */
  readonly at: Date;
};

/**
 * What a report came to. `ignored`: it was told before, or the message's end says otherwise. `early`: its message is still
 * in hand, whose own answer comes first; report it again. `unknown`: the scope has no such message on that channel.
 * `repeated`: its marks were there.
 */
export type ReportTaken = 'applied' | 'ignored' | 'early' | 'unknown' | 'repeated';

/**
 * Takes reports and answers what each came to, in their order. Throws OVERLOADED, and what the database throws.
 *
 * @param marks are written where any of the reports was judged; where they are there already none is taken
 */
export type TakeReports = (reports: readonly DeliveryReport[], marks?: Marks) => Promise<readonly ReportTaken[]>;

const IN_HAND: ReadonlySet<MessageStatus> = new Set(['queued', 'deferred', 'sending']);
/** Statuses of a message that its provider took. */
const TAKEN: ReadonlySet<MessageStatus> = new Set(['sent', 'delivered', 'bounced']);
/** Of them those that count as sent. */
const TAKEN_STATUSES: ReadonlySet<MessageStatus> = new Set(['sent', 'delivered']);
/** Characters of a provider's words that are kept; ours, as of answers. */
const MAX_TEXT = 500;

const clean = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, MAX_TEXT).toWellFormed();

/** A message as the reports of one call leave it, one after the other. */
type Standing = {
  readonly row: ReportedRow;
  /** The provider's id of it, where a report told one. */
  readonly told: string | null;
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

const momentOf = (at: Date, { createdAt }: ReportedRow, now: Date): Date =>
  new Date(Math.min(Math.max(at.getTime(), createdAt.getTime()), now.getTime()));

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
  return { ...about, kind, deadSince: null, ...(sender === undefined ? {} : { sender }) };
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
    sender,
  }: {
    status: 'bounced' | 'failed';
    code: string;
    message: string;
    address: 'bounced' | 'opted_out' | null;
    sender?: string | undefined;
  },
  at: Date,
): ReportTaken => {
  const [errorCode, error] = [clean(code), clean(message)];
  const feedback = address === null ? null : feedbackOf(standing.row, address, sender);
  standing.changes.push(changeOf(standing, { status, reason: address, errorCode, error, feedback }, at));
  Object.assign(standing, { status, reason: address, errorCode, error, finishedAt: at });
  return 'applied';
};

const isAmbiguous = ({ row, status, errorCode }: Standing): boolean =>
  row.channel === 'sms' && status === 'failed' && errorCode === AMBIGUOUS.code;

/**
 * A text message is never sent again without an answer, so its provider's own word is the last chance to learn of it:
 * of one that is in hand it is the answer, of one that was given up it puts right what was only assumed.
 */
const takeAfterAll = (standing: Standing, at: Date): void => {
  standing.changes.push(changeOf(standing, { status: 'sent', providerId: standing.told }, at));
  if (standing.status === 'sending') standing.counted = 'sent';
  Object.assign(standing, { status: 'sent', tookAt: at, reason: null, errorCode: null, error: null, finishedAt: at });
};

/** The same of one that its provider has and could not deliver: it fails once, for the reason that is known. */
const failAfterAll = (standing: Standing, reported: Extract<Reported, { kind: 'failed' }>, at: Date): ReportTaken => {
  const { code, message, address = null, sender } = reported;
  standing.tookAt = at;
  if (standing.status === 'sending') {
    standing.counted = 'failed';
    return end(standing, { status: 'failed', code, message, address, sender }, at);
  }
  Object.assign(standing, { reason: address, errorCode: clean(code), error: clean(message) });
  return 'applied';
};

/** What one report makes of its message. A bounce wins over a receipt, and neither comes back. Source: transports, Status rule. */
const apply = (standing: Standing, reported: Reported, at: Date): ReportTaken => {
  const isUnheard = isAmbiguous(standing) || (standing.row.channel === 'sms' && standing.status === 'sending');
  if (isUnheard && reported.kind === 'failed') return failAfterAll(standing, reported, at);
  if (isUnheard) takeAfterAll(standing, at);
  const { status } = standing;
  if (IN_HAND.has(status)) return 'early';
  if (!TAKEN.has(status)) return 'ignored';
  switch (reported.kind) {
    case 'sent':
      return isUnheard ? 'applied' : 'ignored';
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
      const { code, message, address = null, sender } = reported;
      return end(standing, { status: 'failed', code, message, address, sender }, at);
    }
    case 'complained': {
      if (standing.complainedAt !== null) return 'ignored';
      const feedback = feedbackOf(standing.row, 'complained', undefined);
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
    const standing = new Map<string, Standing>();
    const provided = new Map<string, Standing>();
    for (const message of found) {
      const send = sendAt.get(sendKey(message, message.sendId));
      const key = keyOf(message, message.id);
      const known = standing.get(key);
      const row = { ...message, workflowRunId: send?.workflowRunId ?? null, stepPath: send?.stepPath ?? null };
      const { status, deliveredAt, complainedAt, reason, errorCode, error, finishedAt } = message;
      const facts = { status, deliveredAt, complainedAt, reason, errorCode, error, finishedAt };
      const told = ids.get(key) ?? null;
      const one = known ?? { row, told, counted: status, tookAt: null, ...facts, changes: [] };
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
        for (const { row: before, counted, status, deliveredAt } of some) {
          const moved = Number(TAKEN_STATUSES.has(status)) - Number(TAKEN_STATUSES.has(counted));
          row.sent += moved;
          row.failed -= moved;
          if (moved < 0 && status === 'bounced') row.bounced += 1;
          if (before.deliveredAt === null && deliveredAt !== null) row.delivered += 1;
          if (moved < 0 && deliveredAt !== null) row.delivered -= 1;
        }
        return row.sent === 0 && row.delivered === 0 ? [] : [row];
      })
      .sort(bySend)
      .map((row) => write(hot.count, row));
  };

  const sentAfterAll = (recovered: readonly Standing[]): Write[] =>
    recovered
      .map(({ row }) => ({ ...scopeOf(row), id: row.sendId, status: 'sent' as const }))
      .sort(bySend)
      .map((row) => write(hot.sentAfterAll, row));

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
    const recovered = changed.filter(({ counted, status }) => counted === 'failed' && TAKEN_STATUSES.has(status));
    const changes = changed.flatMap((one) => one.changes);
    const [reacted, emitted] = await Promise.all([settle.react(changes, now), eventsOf(changes)]);
    const rows = changed.flatMap((one): Write[] => {
      const { row, status, reason, errorCode, error, deliveredAt, complainedAt, finishedAt } = one;
      const key = { ...scopeOf(row), id: row.id };
      const isSame = status === row.status && errorCode === row.errorCode;
      const values = { status: row.status, newStatus: status, reason, errorCode, error, deliveredAt, finishedAt };
      if (one.tookAt !== null) {
        const sentAt = TAKEN_STATUSES.has(status) ? one.tookAt : null;
        return [write(hot.tookAfterAll, { ...key, ...values, sentAt, providerId: one.told }, messageTag(row))];
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
      along: reacted.along,
    };
  };

  return async (reports, marks) => {
    const taken: ReportTaken[] = [];
    const now = clock.now();
    const { ok, plan: kept } = await commitPlanned(storage, reports, {
      plan: async (all) => {
        const planned = await plan(all, now, taken);
        const isJudged = taken.some((one) => one === 'applied' || one === 'ignored');
        return isJudged && marks ? { ...planned, writes: [...marks.writes, ...planned.writes] } : planned;
      },
      isLost: (_, failed) => isMarked(marks, failed),
    });
    if (!ok) throw overloaded(1);
    return kept === null ? reports.map(() => 'repeated') : taken;
  };
};
