import type { Log } from '../../foundation/log.ts';
import type { ScopeDirectory } from '../../foundation/scope.ts';
import { type BoundMessageReaction, bindMessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import { type BoundReaction, bindReaction } from '../../people/events/pipeline.ts';
import { type AfterCommit, afterCommit } from './after-commit.ts';
import { tellEvents } from './events.ts';
import type { Hook, Hooks } from './hooks.ts';
import { tellMessages } from './messages.ts';

/** The host's part in the pipelines; the lists are empty where it has none. */
export type HostReactions = {
  readonly messages: readonly BoundMessageReaction[];
  readonly events: readonly BoundReaction[];
  /** Resolves when no `after` is under way. */
  settled(): Promise<void>;
};

/** What the host does about messages and events. Throws nothing. */
export const hostReactions = (
  { messages, events }: Hooks,
  deps: { readonly scopes: ScopeDirectory; readonly log: Pick<Log, 'error'> },
): HostReactions => {
  const afterOf = <T>(what: string, hook: Hook<T> | undefined): AfterCommit<T> | null =>
    hook?.after ? afterCommit(what, hook.after, deps.log) : null;
  const afterMessages = afterOf('messages.after', messages);
  const afterEvents = afterOf('events.after', events);
  return {
    messages: messages ? [bindMessageReaction(tellMessages(messages, afterMessages, deps))] : [],
    events: events ? [bindReaction(tellEvents(events, afterEvents))] : [],
    settled: async () => {
      await Promise.all([afterMessages?.settled(), afterEvents?.settled()]);
    },
  };
};
