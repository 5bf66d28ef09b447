import { userIdOf } from '../../primitives/person.ts';
import { MAX_TTL_SECONDS, type PushContent } from '../../push/content.ts';
import { eventScope } from './scopes.ts';
import { type SendStepDeps, sendStep } from './send.ts';
import type { StepHandler } from './step.ts';

/** Sends a push to every device of the run's user, as part of the run's own transaction. */
export const sendPush =
  (deps: SendStepDeps): StepHandler<'send_push'> =>
  (config, context) => {
    const {
      name: _name,
      onError: _onError,
      class: kind = 'marketing',
      category = null,
      ttlSeconds,
      ...fields
    } = config;
    const userId = userIdOf(context.run.person);
    // The devices of somebody anonymous are not known by a user.
    if (userId === null) return { outcome: 'suppressed', reason: 'no_token' };
    const content: PushContent = { ...fields, ttlSeconds: ttlSeconds ?? MAX_TTL_SECONDS };
    return sendStep(deps, context, {
      channel: 'push',
      class: kind,
      category,
      title: content.title ?? null,
      content,
      variables: { event: eventScope(context) },
      recipients: [{ kind: 'user', userId }],
    });
  };
