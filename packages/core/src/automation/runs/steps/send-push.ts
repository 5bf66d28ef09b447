import { z } from 'zod';
import { compact } from '../../../foundation/compact.ts';
import { anyRequired, jsonKeywords, whenMember } from '../../../foundation/json-keywords.ts';
import { userIdOf } from '../../../foundation/person.ts';
import {
  checkDataKeys,
  checkPush,
  MAX_ACTIONS,
  MAX_TTL_SECONDS,
  type PushContent,
  pushFields,
} from '../../../messaging/push/content.ts';
import { pushTemplate } from '../../../messaging/push/template.ts';
import { sendFields } from '../../../messaging/sends/fields.ts';
import { abTestId, common, fromTemplate, ownConfig } from './fields.ts';
import { RENDERED } from './rendered.ts';
import { sentScopes } from './scopes.ts';
import { defineStep } from './step.ts';
import { filledFrom, isAbovePlan, TIER_REQUIRED, testedTexts, textsOf, variablesOf } from './template.ts';

const shown = anyRequired(['title', 'body', 'templateId'], ['localizedTitle', 'localizedBody']);
/** The rules of `checkPush`. */
const pushKeywords = {
  ...anyRequired(['title', 'body', 'data', 'templateId'], ['localizedTitle', 'localizedBody']),
  allOf: [
    whenMember('actions', { type: 'array', minItems: 1 }, shown),
    whenMember('criticalAlert', { type: 'object' }, shown),
    whenMember('interruptionLevel', { const: 'critical' }, anyRequired(['templateId'], ['criticalAlert'])),
  ],
};

/** The body of a push send without recipients, for all devices of the run's user. Every text is a template. */
export const sendPush = defineStep({
  type: 'send_push',
  renders: RENDERED.send_push,
  sends: 'push',
  config: z
    .strictObject({
      ...common,
      ...pushFields,
      actions: z
        .array(z.strictObject(pushFields.actions.unwrap().element.shape))
        .max(MAX_ACTIONS)
        .optional()
        .describe('Action buttons. At most 4. Default: none.'),
      criticalAlert: z
        .strictObject(pushFields.criticalAlert.unwrap().unwrap().shape)
        .nullish()
        .describe(
          'Plays a sound even when the device is muted. iOS needs an entitlement of Apple. Null or omitted: a normal alert.',
        ),
      ttlSeconds: pushFields.ttlSeconds
        .unwrap()
        .optional()
        .describe(
          'Seconds that the provider keeps the push for an offline device. At most 2,419,200. Default: 2,419,200 (four weeks).',
        ),
      class: sendFields.class
        .unwrap()
        .optional()
        .describe(
          'Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.',
        ),
      category: sendFields.category,
      abTestId,
      ...fromTemplate,
    })
    .superRefine(({ ttlSeconds = pushFields.ttlSeconds.parse(undefined), ...config }, context) => {
      // With a template its fields count too, so both are checked when the step runs.
      if (config.templateId === undefined) checkPush({ ...config, ttlSeconds }, context);
      checkDataKeys(config, context);
    })
    .register(jsonKeywords, pushKeywords),
  run: async (config, runContext) => {
    const {
      class: kind = 'marketing',
      category = null,
      abTestId: test = null,
      templateId,
      variables,
      platforms,
      ...fields
    } = ownConfig(config);
    if (await isAbovePlan(runContext, { templateId, abTestId: test })) return () => TIER_REQUIRED;
    const filled = await filledFrom(runContext, pushTemplate, templateId, fields);
    const tested = await testedTexts(runContext, 'push', test);
    return (context) => {
      const userId = userIdOf(context.run.person);
      // Devices belong to users.
      if (userId === null) return { outcome: 'suppressed', reason: 'no_token' };
      if (filled && !filled.ok) return { outcome: 'error', reason: filled.reason };
      const values = variablesOf(variables, context);
      if (values === null) return { outcome: 'error', reason: 'too_large' };
      const fieldsOrTemplate = filled?.content ?? { ...fields, ttlSeconds: fields.ttlSeconds ?? MAX_TTL_SECONDS };
      const content: PushContent = { ...fieldsOrTemplate, ...compact({ platforms }) };
      const recipient = { kind: 'user', userId } as const;
      return context.send({
        channel: 'push',
        class: kind,
        category,
        abTestId: test,
        title: content.title ?? null,
        content,
        variables: sentScopes(context, recipient, [...textsOf(pushTemplate, content), ...tested], values),
        recipients: [recipient],
        ...filled?.from,
      });
    };
  },
});
