import { type Tag, type Write, write } from '../../../database/commit/write-set.ts';
import { compact } from '../../../foundation/compact.ts';
import type { Evidence } from '../api.ts';
import { messageTag } from '../finalize/change.ts';
import type { MessageRow } from '../store.ts';
import { PASS, type Stop, type Verdict } from '../verdict.ts';
import type { ReadyMessage } from './message.ts';

/** What a reservation reads of a message. */
export type Reserving = Pick<ReadyMessage, 'row' | 'send' | 'settings'>;

/**
 * A limited resource that a message reserves at handover, such as an entry under a frequency cap. Called for messages
 * that passed every gate, at each handover.
 */
export type Reservation<Loaded> = {
  readonly name: string;
  /** True if the message needs this resource; called before anything is read. */
  concerns(message: Reserving): boolean;
  /**
   * Reads for all messages at once, again for each plan of the handover.
   *
   * @param isFirst no guard failed yet, so what the guards check need not be read before
   */
  load(messages: readonly Reserving[], isFirst: boolean): Promise<Loaded>;
  /**
   * Guarded writes that reserve the resource: one list per message, in order; null: none left. Pure. Earlier messages
   * reserve first.
   */
  write(messages: readonly Reserving[], loaded: Loaded, now: Date): readonly (readonly Write[] | null)[];
  /** Verdict of a message without a reservation. */
  readonly onFailure: Stop;
  /**
   * True if `load` reads what made a guard fail, and `write` returns null when nothing is left: then a failed guard
   * alone refuses no message. Absent: a failed guard is final.
   */
  readonly isReadAnew?: boolean;
  /** Values that decide for one message, for explanations. Pure. */
  evidence(message: Reserving, loaded: Loaded): Evidence;
};

/** A reservation without its type parameter, so that several fit in one list. */
export type BoundReservation = Pick<Reservation<unknown>, 'name' | 'concerns' | 'onFailure' | 'isReadAnew'> & {
  load(messages: readonly Reserving[], isFirst: boolean): Promise<(now: Date) => readonly (readonly Write[] | null)[]>;
  /** The verdict for a message without reserving; a message that is not concerned passes. */
  explain(message: Reserving, now: Date): Promise<{ readonly verdict: Verdict; readonly evidence: Evidence }>;
  /** True if this reservation ended the message. */
  stopped(row: MessageRow): boolean;
};

const isEndOf = ({ status, reason, errorCode }: MessageRow, stop: Stop): boolean =>
  status === stop.verdict &&
  (stop.verdict !== 'suppressed' || reason === stop.reason) &&
  (stop.verdict !== 'failed' || errorCode === stop.code);

/** Binds `write` to the result of `load`. Throws nothing. */
export const bindReservation = <Loaded>(reservation: Reservation<Loaded>): BoundReservation => ({
  name: reservation.name,
  concerns: reservation.concerns,
  onFailure: reservation.onFailure,
  ...compact({ isReadAnew: reservation.isReadAnew }),
  load: async (messages, isFirst) => {
    const loaded = await reservation.load(messages, isFirst);
    return (now) => reservation.write(messages, loaded, now);
  },
  explain: async (message, now) => {
    if (!reservation.concerns(message)) return { verdict: PASS, evidence: {} };
    const loaded = await reservation.load([message], false);
    const [writes = null] = reservation.write([message], loaded, now);
    return { verdict: writes === null ? reservation.onFailure : PASS, evidence: reservation.evidence(message, loaded) };
  },
  stopped: (row) => isEndOf(row, reservation.onFailure),
});

/** The reservations of a handover, by name. Caps come last: a message that another reservation stops uses no cap. */
export const RESERVATION_ORDER = ['frequency_cap'] as const;

/** The writes of messages that may go, and the verdicts of the others. */
export type Reserved = {
  readonly writes: ReadonlyMap<ReadyMessage, readonly Write[]>;
  readonly stopped: ReadonlyMap<ReadyMessage, Stop>;
};

/**
 * Keeps the reservations of one handover across its plans. A message whose guard failed stays refused while only
 * reservations failed, unless its reservation is read again. When another message of the plan turns out to belong to
 * another worker, its reservation is free again, so refused messages are tried again.
 */
export const reserving = (reservations: readonly BoundReservation[]) => {
  const refused = new Map<ReadyMessage, Stop>();
  let pending: { readonly tag: Tag; readonly message: ReadyMessage; readonly stop: Stop | null }[] = [];

  const learn = (failed: ReadonlySet<Tag>): void => {
    if (failed.size === 0) return;
    const byTag = new Map(pending.map((one) => [one.tag, one]));
    const refusals = [...failed].map((tag) => byTag.get(tag));
    if (refusals.includes(undefined)) refused.clear();
    else for (const one of refusals) if (one?.stop) refused.set(one.message, one.stop);
  };

  return {
    /** @param failed guards that failed in the previous plan */
    reserve: async (messages: readonly ReadyMessage[], failed: ReadonlySet<Tag>, now: Date): Promise<Reserved> => {
      learn(failed);
      pending = [];
      const stopped = new Map<ReadyMessage, Stop>();
      for (const one of refused.size === 0 ? [] : messages) {
        const stop = refused.get(one);
        if (stop !== undefined) stopped.set(one, stop);
      }
      const writes = new Map<ReadyMessage, Write[]>();
      for (const reservation of reservations) {
        const mine = messages.filter((one) => !stopped.has(one) && reservation.concerns(one));
        if (mine.length === 0) continue;
        const loaded = (await reservation.load(mine, failed.size === 0))(now);
        for (const [at, message] of mine.entries()) {
          const reserved = loaded[at] ?? null;
          if (reserved === null) {
            stopped.set(message, reservation.onFailure);
            writes.delete(message);
            continue;
          }
          const tag = `r:${reservation.name}/${messageTag(message.row)}`;
          pending.push({ tag, message, stop: reservation.isReadAnew ? null : reservation.onFailure });
          const others = writes.get(message) ?? [];
          writes.set(message, others);
          for (const { bulk, row } of reserved) others.push(write(bulk, row, tag));
        }
      }
      return { writes, stopped };
    },
  };
};
