import type { CommitHook } from '../../../database/commit/commit-hook.ts';
import type { Write } from '../../../database/commit/write-set.ts';
import type { MessageChange } from './change.ts';

/** What reactions add to the write set in which messages change. */
export type Reacted = {
  readonly writes: readonly Write[];
  readonly wakes?: readonly string[];
  /** Of the host. */
  readonly hooks?: readonly CommitHook[];
};

/**
 * One engine's part in the change of messages. `load` reads, set-based, what its plan needs; `plan` is pure. A guarded
 * write that fails has everything loaded and planned again.
 */
export type MessageReaction<Loaded> = {
  readonly name: string;
  /** Whether a change is its business; asked of every message, before anything is read. */
  concerns(change: MessageChange): boolean;
  /**
   * The same of every message of a send at once, asked of one that stands for them, of nobody: where the answer is no, they
   * are not even read. Absent: as `concerns`.
   */
  concernsSend?(change: MessageChange): Promise<boolean>;
  load(changes: readonly MessageChange[]): Promise<Loaded>;
  plan(changes: readonly MessageChange[], loaded: Loaded, now: Date): Reacted;
};

/** A reaction with its loaded type closed over, so that reactions of several engines stand in one list. */
export type BoundMessageReaction = Pick<MessageReaction<unknown>, 'name' | 'concerns' | 'concernsSend'> & {
  load(changes: readonly MessageChange[]): Promise<(now: Date) => Reacted>;
};

/** Ties a reaction's `plan` to what its `load` returns. Throws nothing. */
export const bindMessageReaction = <Loaded>(reaction: MessageReaction<Loaded>): BoundMessageReaction => ({
  name: reaction.name,
  concerns: reaction.concerns,
  ...(reaction.concernsSend ? { concernsSend: reaction.concernsSend } : {}),
  load: async (changes) => {
    const loaded = await reaction.load(changes);
    return (now) => reaction.plan(changes, loaded, now);
  },
});

/** The reactions to a message change, by name, in the order in which one commit plans them. */
export const MESSAGE_REACTION_ORDER = [
  'dead tokens',
  'live activities',
  'reported addresses',
  'catalog events',
  'frequency caps',
  'step outcomes',
  'hooks of the host',
  'counted',
] as const;
