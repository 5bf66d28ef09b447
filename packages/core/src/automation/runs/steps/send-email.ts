import { z } from 'zod';
import { SEND_CLASSES } from '../../../foundation/channel.ts';
import { mailAddress } from '../../../foundation/email-address.ts';
import { anyRequired, jsonKeywords, notBoth } from '../../../foundation/json-keywords.ts';
import { userIdOf } from '../../../foundation/person.ts';
import { attachments } from '../../../messaging/email/attachments.ts';
import { mailHeaders } from '../../../messaging/email/headers.ts';
import { type EmailContent, localizedMail, MAX_BODY_BYTES } from '../../../messaging/email/schema.ts';
import { emailTemplate } from '../../../messaging/email/template.ts';
import { trackingFields, trackingOf } from '../../../messaging/email/tracking.ts';
import { sendFields } from '../../../messaging/sends/fields.ts';
import type { Recipient } from '../../../messaging/sends/schema.ts';
import { compileTemplate } from '../../../messaging/templates/compile.ts';
import { byLanguage, isLocalized } from '../../../messaging/templates/locale.ts';
import { RenderError, render } from '../../../messaging/templates/render.ts';
import { abTestId, addressLine, common, fromTemplate, headerLine, ownConfig } from './fields.ts';
import { RENDERED } from './rendered.ts';
import { sentScopes, stepScopes } from './scopes.ts';
import { defineStep, type PlanContext } from './step.ts';
import { filledFrom, isAbovePlan, TIER_REQUIRED, testedTexts, textsOf, variablesOf } from './template.ts';
import { noUserWarning } from './variables.ts';

/** Maximum characters of a subject. Source: RFC 5322, 2.1.1 (a line). */
const MAX_HEADER_LINE = 998;

const bodyText = z.string().max(MAX_BODY_BYTES).optional();
/** The run's user; null for an anonymous profile. */
const userOf = ({ run }: PlanContext): Recipient | null => {
  const userId = userIdOf(run.person);
  return userId === null ? null : { kind: 'user', userId };
};

/** The body of an email send without recipients. Every text is a template; without `to` it goes to the run's user. */
export const sendEmail = defineStep({
  type: 'send_email',
  renders: RENDERED.send_email,
  sends: 'email',
  config: z
    .strictObject({
      ...common,
      to: addressLine.describe("Recipient address. May contain {{variables}}. Default: the run's user."),
      from: addressLine.describe("From address. May contain {{variables}}. Default: the provider's from."),
      replyTo: addressLine.describe('Reply-To address. May contain {{variables}}. Default: none.'),
      subject: headerLine(MAX_HEADER_LINE)
        .optional()
        .describe(
          'Subject, one line. May contain {{variables}}. At most 998 characters. Default: the subject of the template, else empty.',
        ),
      preheader: headerLine(MAX_HEADER_LINE)
        .optional()
        .describe('Preview line that mail clients show beside the subject. At most 998 characters. Default: none.'),
      text: bodyText.describe('Plain text body. May contain {{variables}}. At most 1 MiB. Default: none.'),
      html: bodyText.describe('HTML body. {{variables}} are escaped. At most 1 MiB. Excludes bodyHtml.'),
      bodyHtml: bodyText.describe('HTML body whose {{variables}} are not escaped. At most 1 MiB. Excludes html.'),
      localized: byLanguage(z.strictObject(localizedMail))
        .optional()
        .describe('Subjects and bodies by locale, such as es or pt-BR. Default: none.'),
      headers: mailHeaders.optional().describe('Extra email headers. At most 20. Default: none.'),
      attachments: attachments.optional().describe('Files. At most 20, together at most 700 KiB. Default: none.'),
      tracking: z
        .strictObject(trackingFields)
        .optional()
        .describe('Which interactions to track. Default: the email settings.'),
      class: z
        .enum(SEND_CLASSES)
        .optional()
        .describe(
          'Kind of message. transactional skips frequency caps, quiet hours and opt-outs by default. Default: marketing.',
        ),
      category: sendFields.category,
      abTestId,
      ...fromTemplate,
    })
    .refine(
      ({ text, html, bodyHtml, localized, templateId }) =>
        templateId !== undefined ||
        isLocalized(localized) ||
        [text, html, bodyHtml].some((body) => body !== undefined && body !== ''),
      'needs a body: text, html or bodyHtml, or a templateId that brings one',
    )
    .refine(({ html, bodyHtml }) => html === undefined || bodyHtml === undefined, {
      path: ['bodyHtml'],
      message: 'is not allowed with html',
    })
    .register(jsonKeywords, {
      ...anyRequired(['templateId'], ['text', 'html', 'bodyHtml', 'localized']),
      ...notBoth('html', 'bodyHtml'),
    }),
  *check(config) {
    const isSilent = config.subject === undefined ? config.templateId === undefined : config.subject.trim() === '';
    if (isSilent)
      yield {
        path: 'subject',
        code: 'no_subject',
        message: 'The email has no subject. Some servers classify it as spam.',
      };
    if (config.to !== undefined) yield noUserWarning;
  },
  run: async (config, runContext) => {
    const {
      to,
      from,
      replyTo,
      class: kind,
      category = null,
      abTestId: test = null,
      templateId,
      variables,
      ...own
    } = ownConfig(config);
    if (await isAbovePlan(runContext, { templateId, abTestId: test })) return () => TIER_REQUIRED;
    const filled = await filledFrom(runContext, emailTemplate, templateId, own);
    const tested = await testedTexts(runContext, 'email', test);
    const defaults = await runContext.mailTracking?.();
    return (context) => {
      if (filled && !filled.ok) return { outcome: 'error', reason: filled.reason };
      const { tracking: requested, ...texts } = filled?.content ?? { ...own, subject: own.subject ?? '' };
      const tracking = trackingOf(requested, context.publicUrl, defaults);
      if (tracking === 'unavailable') return { outcome: 'error', reason: 'tracking_unavailable' };
      const scopes = stepScopes(context);
      const addressOf = (text: string | undefined): string | null | undefined => {
        if (text === undefined) return undefined;
        try {
          return mailAddress(render(compileTemplate(text), scopes, { escapeHtml: false }));
        } catch (error) {
          if (error instanceof RenderError) return null;
          throw error;
        }
      };
      const [toAddress, sender, answers] = [addressOf(to), addressOf(from), addressOf(replyTo)];
      // An invalid address must not fall back to the user's own.
      if (toAddress === null || sender === null || answers === null)
        return { outcome: 'error', reason: 'invalid_address' };
      const recipient =
        toAddress === undefined ? userOf(context) : { kind: 'address' as const, address: toAddress, name: null };
      // Anonymous profiles have no address.
      if (recipient === null) return { outcome: 'suppressed', reason: 'no_address' };
      const values = variablesOf(variables, context);
      if (values === null) return { outcome: 'error', reason: 'too_large' };
      const content: EmailContent = {
        ...texts,
        ...(sender === undefined ? {} : { from: { email: sender, name: null } }),
        ...(answers === undefined ? {} : { replyTo: { email: answers, name: null } }),
        ...(tracking ? { tracking } : {}),
      };
      return context.send({
        channel: 'email',
        class: kind ?? 'marketing',
        category,
        abTestId: test,
        title: content.subject,
        content,
        variables: sentScopes(context, recipient, [...textsOf(emailTemplate, content), ...tested], values),
        recipients: [recipient],
        ...filled?.from,
      });
    };
  },
});
