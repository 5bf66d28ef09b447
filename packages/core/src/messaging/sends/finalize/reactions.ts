import type { CommitHook } from '../../../database/commit/commit-hook.ts';
import type { Write } from '../../../database/commit/write-set.ts';
import type { MessageChange } from './change.ts';

/** What reactions add to the write set of message changes. */
export type Reacted = {
  readonly writes: readonly Write[];
  readonly wakes?: readonly string[];
  /** Commit hooks of the host. */
  readonly hooks?: readonly CommitHook[];
};

/**
 * An engine's reaction to message changes. `load` reads for all changes at once; `plan` is pure. If a guarded write
 * fails, everything is loaded and planned again.
 */
export type MessageReaction<Loaded> = {
  readonly name: string;
  /** True if the reaction needs this change; called for every message before anything is read. */
  concerns(change: MessageChange): boolean;
  /**
   * The same for all messages of a send, called with one representative change without a user. If false for all
   * reactions, the messages are not read. Absent: as `concerns`.
   */
  concernsSend?(change: MessageChange): Promise<boolean>;
  load(changes: readonly MessageChange[]): Promise<Loaded>;
  plan(changes: readonly MessageChange[], loaded: Loaded, now: Date): Reacted;
};

/** A reaction without its type parameter, so that reactions of several engines fit in one list. */
export type BoundMessageReaction = Pick<MessageReaction<unknown>, 'name' | 'concerns' | 'concernsSend'> & {
  load(changes: readonly MessageChange[]): Promise<(now: Date) => Reacted>;
};

/** Binds `plan` to the result of `load`. Throws nothing. */
export const bindMessageReaction = <Loaded>(reaction: MessageReaction<Loaded>): BoundMessageReaction => ({
  name: reaction.name,
  concerns: reaction.concerns,
  ...(reaction.concernsSend ? { concernsSend: reaction.concernsSend } : {}),
  load: async (changes) => {
    const loaded = await reaction.load(changes);
    return (now) => reaction.plan(changes, loaded, now);
  },
});

/** The message reactions, by name, in planning order. */
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
