import { z } from 'zod';
import { userIdOf } from '../../primitives/person.ts';
import { checkPush, MAX_ACTIONS, MAX_TTL_SECONDS, type PushContent, pushFields } from '../../push/content.ts';
import { sendFields } from '../../sending/fields.ts';
import { abTestId, common, onlySent } from './fields.ts';
import { eventScope } from './scopes.ts';
import { defineStep } from './step.ts';
import { unknownVariables } from './variables.ts';

/** The channel's body without recipients, for every device of the run's user. Every text is a template. */
export const sendPush = defineStep({
  type: 'send_push',
  sends: 'push',
  config: z
    .strictObject({
      ...common,
      ...pushFields,
      actions: z.array(z.strictObject(pushFields.actions.unwrap().element.shape)).max(MAX_ACTIONS).optional(),
      criticalAlert: z.strictObject(pushFields.criticalAlert.unwrap().unwrap().shape).nullish(),
      ttlSeconds: pushFields.ttlSeconds.unwrap().optional(),
      class: sendFields.class.unwrap().optional(),
      category: sendFields.category,
      abTestId,
      ...onlySent,
    })
    .superRefine(({ ttlSeconds = pushFields.ttlSeconds.parse(undefined), ...config }, context) =>
      checkPush({ ...config, ttlSeconds }, context),
    ),
  check: (config) =>
    unknownVariables(config, ['title', 'body', 'localizedTitle', 'localizedBody', 'data', 'actions', 'imageUrl']),
  run:
    ({
      name: _name,
      onError: _onError,
      class: kind = 'marketing',
      category = null,
      abTestId: test = null,
      ttlSeconds,
      ...fields
    }) =>
    (context) => {
      const userId = userIdOf(context.run.person);
      // Devices are found by their user.
      if (userId === null) return { outcome: 'suppressed', reason: 'no_token' };
      const content: PushContent = { ...fields, ttlSeconds: ttlSeconds ?? MAX_TTL_SECONDS };
      return context.send({
        channel: 'push',
        class: kind,
        category,
        abTestId: test,
        title: content.title ?? null,
        content,
        variables: { event: eventScope(context) },
        recipients: [{ kind: 'user', userId }],
      });
    },
});
