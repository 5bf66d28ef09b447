import { type Tag, type Write, write } from '../../../database/commit/write-set.ts';
import { compact } from '../../../foundation/compact.ts';
import type { Evidence } from '../api.ts';
import { messageTag } from '../finalize/change.ts';
import type { MessageRow } from '../store.ts';
import { PASS, type Stop, type Verdict } from '../verdict.ts';
import type { ReadyMessage } from './message.ts';

/** What a reservation knows of a message. */
export type Reserving = Pick<ReadyMessage, 'row' | 'send' | 'settings'>;

/**
 * Something that a message takes as it is handed over and of which there is only so much, such as a slot under a
 * frequency cap. Asked for messages that passed every gate, at each of their hand-overs.
 */
export type Reservation<Loaded> = {
  readonly name: string;
  /** Whether a message takes any; asked before anything is read. */
  concerns(message: Reserving): boolean;
  /**
   * Reads, set-based, anew for each plan of the handover.
   *
   * @param isFirst its writes are committed, and no guard of them has failed yet: what these hold need not be read before
   */
  load(messages: readonly Reserving[], isFirst: boolean): Promise<Loaded>;
  /**
   * Guarded writes that take it, one list per message, in their order; null: there is none left for it. Pure. Who comes
   * first in the list takes first.
   */
  write(messages: readonly Reserving[], loaded: Loaded, now: Date): readonly (readonly Write[] | null)[];
  /** What a message ends with where there is none left, or one of its guards fails. */
  readonly onFailure: Stop;
  /**
   * What is read for the next plan tells of whatever made a guard fail, and `write` answers null where nothing is left:
   * then nobody is refused because of a guard alone. Absent: a guard that fails is the last word.
   */
  readonly isReadAnew?: boolean;
  /** What it decides by for one message, for whoever asks. Pure. */
  evidence(message: Reserving, loaded: Loaded): Evidence;
};

/** A reservation with its loaded type closed over, so that several stand in one list. */
export type BoundReservation = Pick<Reservation<unknown>, 'name' | 'concerns' | 'onFailure' | 'isReadAnew'> & {
  load(messages: readonly Reserving[], isFirst: boolean): Promise<(now: Date) => readonly (readonly Write[] | null)[]>;
  /** What a message would be told, of which nothing is taken; whoever does not concern it lets it pass. */
  explain(message: Reserving, now: Date): Promise<{ readonly verdict: Verdict; readonly evidence: Evidence }>;
  /** Whether this is what ended a message that has ended. */
  stopped(row: MessageRow): boolean;
};

const isEndOf = ({ status, reason, errorCode }: MessageRow, stop: Stop): boolean =>
  status === stop.verdict &&
  (stop.verdict !== 'suppressed' || reason === stop.reason) &&
  (stop.verdict !== 'failed' || errorCode === stop.code);

/** Ties a reservation's `write` to what its `load` returns. Throws nothing. */
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
    const [own = null] = reservation.write([message], loaded, now);
    return { verdict: own === null ? reservation.onFailure : PASS, evidence: reservation.evidence(message, loaded) };
  },
  stopped: (row) => isEndOf(row, reservation.onFailure),
});

/** The reservations of a handover, by name. Caps are the last: a message that another one stops takes no cap entry. */
export const RESERVATION_ORDER = ['frequency_cap'] as const;

/** What is to be written for the messages that may still go, and what the others end with. */
export type Reserved = {
  readonly writes: ReadonlyMap<ReadyMessage, readonly Write[]>;
  readonly stopped: ReadonlyMap<ReadyMessage, Stop>;
};

/**
 * Keeps the reservations of one handover over its plans. A message whose guard failed stays refused for as long as
 * reservations alone were what failed, unless its reservation is read anew. Once another message of a plan turned out to be somebody else's, what that one
 * had taken is free again, and whoever was refused because of it is asked anew.
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
    /** @param failed the guards that failed in the plan before */
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
          const own = loaded[at] ?? null;
          if (own === null) {
            stopped.set(message, reservation.onFailure);
            writes.delete(message);
            continue;
          }
          const tag = `r:${reservation.name}/${messageTag(message.row)}`;
          pending.push({ tag, message, stop: reservation.isReadAnew ? null : reservation.onFailure });
          const others = writes.get(message) ?? [];
          writes.set(message, others);
          for (const { bulk, row } of own) others.push(write(bulk, row, tag));
        }
      }
      return { writes, stopped };
    },
  };
};
