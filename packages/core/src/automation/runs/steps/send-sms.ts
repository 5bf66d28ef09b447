import { z } from 'zod';
import { anyRequired, jsonKeywords, notBoth } from '../../../foundation/json-keywords.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { phoneNumber } from '../../../foundation/phone-number.ts';
import { sendFields } from '../../../messaging/sends/fields.ts';
import type { Recipient } from '../../../messaging/sends/schema.ts';
import {
  checkSender,
  checkSms,
  DEFAULT_MAX_SEGMENTS,
  type SmsContent,
  smsFields,
  smsTitle,
} from '../../../messaging/sms/schema.ts';
import { smsTemplate } from '../../../messaging/sms/template.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { RenderError, render } from '../../../messaging/templates/render.ts';
import { abTestId, addressLine, common, fromTemplate, ownConfig } from './fields.ts';
import { RENDERED } from './rendered.ts';
import { sentScopes, stepScopes } from './scopes.ts';
import { defineStep, type PlanContext } from './step.ts';
import { filledFrom, isAbovePlan, TIER_REQUIRED, testedTexts, textsOf, variablesOf } from './template.ts';
import { noUserWarning } from './variables.ts';

/** Phone number from a template; null if the result is not a number. */
const numberIn = (text: string, context: PlanContext): string | null => {
  try {
    return phoneNumber(render(compileTemplate(text), stepScopes(context), { escapeHtml: false }));
  } catch (error) {
    if (error instanceof RenderError) return null;
    throw error;
  }
};

/** The body of an SMS send; `to` and `body` are templates. Without `to` it goes to the run's user. */
export const sendSms = defineStep({
  type: 'send_sms',
  renders: RENDERED.send_sms,
  sends: 'sms',
  config: z
    .strictObject({
      ...common,
      to: addressLine.describe("Recipient number. May contain {{variables}}. Default: the run's user."),
      ...smsFields,
      maxSegments: smsFields.maxSegments
        .unwrap()
        .optional()
        .describe('Largest number of segments. A longer text fails with too_many_segments. 1 to 10. Default: 4.'),
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
    .superRefine((config, context) => {
      // A template contains the text.
      const check = config.templateId === undefined ? checkSms : checkSender;
      check(config, context);
    })
    .register(jsonKeywords, {
      ...anyRequired(['templateId'], ['body', 'localizedBody']),
      ...notBoth('from', 'messagingServiceId'),
    }),
  *check(config) {
    if (config.to !== undefined) yield noUserWarning;
  },
  run: async (config, runContext) => {
    const {
      to,
      class: kind = 'marketing',
      category = null,
      abTestId: test = null,
      templateId,
      variables,
      ...own
    } = ownConfig(config);
    if (await isAbovePlan(runContext, { templateId, abTestId: test })) return () => TIER_REQUIRED;
    const filled = await filledFrom(runContext, smsTemplate, templateId, own);
    const tested = await testedTexts(runContext, 'sms', test);
    return (context) => {
      if (filled && !filled.ok) return { outcome: 'error', reason: filled.reason };
      const userId = userIdOf(context.run.person);
      const number = to === undefined ? null : numberIn(to, context);
      if (to !== undefined && number === null) return { outcome: 'error', reason: 'invalid_address' };
      const recipient: Recipient | null =
        number !== null
          ? { kind: 'address', address: number, name: null }
          : userId !== null
            ? { kind: 'user', userId }
            : null;
      // Anonymous profiles have no number.
      if (recipient === null) return { outcome: 'suppressed', reason: 'no_address' };
      const values = variablesOf(variables, context);
      if (values === null) return { outcome: 'error', reason: 'too_large' };
      const { maxSegments = DEFAULT_MAX_SEGMENTS } = own;
      const content: SmsContent = filled?.content ?? { ...own, maxSegments };
      return context.send({
        channel: 'sms',
        class: kind,
        category,
        abTestId: test,
        title: smsTitle(content),
        content,
        variables: sentScopes(context, recipient, [...textsOf(smsTemplate, content), ...tested], values),
        recipients: [recipient],
        ...filled?.from,
      });
    };
  },
});
