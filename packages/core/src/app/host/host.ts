import { bindMessageReaction } from '../../messaging/sends/finalize/reactions.ts';
import { bindReaction } from '../../people/events/pipeline.ts';
import type { Platform } from '../../platform/platform.ts';
import { accountHook, beforeHook } from './accounts.ts';
import { type AfterCommit, afterCommit } from './after-commit.ts';
import { notifyOfEvents } from './events.ts';
import type { Hook, Hooks } from './hooks.ts';
import { notifyOfMessages } from './messages.ts';

/** The host program's reactions to messages and events; the lists are empty if it has none. Needs no other module. */
export const hostModule = (
  { scopes, log }: Pick<Platform<unknown>, 'scopes' | 'log'>,
  { messages, events, auth }: Hooks = {},
) => {
  const afterOf = <T>(what: string, hook: Hook<T> | undefined): AfterCommit<T> | null =>
    hook?.after ? afterCommit(what, hook.after, log) : null;
  const afterMessages = afterOf('messages.after', messages);
  const afterEvents = afterOf('events.after', events);
  const afterAuth = afterOf('auth.after', auth);
  return {
    name: 'host',
    messageReactions: messages ? [bindMessageReaction(notifyOfMessages(messages, afterMessages, { scopes, log }))] : [],
    ingestReactions: events ? [bindReaction(notifyOfEvents(events, afterEvents))] : [],
    internal: { authHook: auth ? accountHook(auth, afterAuth) : null, authBefore: beforeHook(auth ?? {}, log) },
    /** Resolves when no `after` is running. */
    close: async (): Promise<void> => {
      await Promise.all([afterMessages?.settled(), afterEvents?.settled(), afterAuth?.settled()]);
    },
  };
};
