import { userIdOf } from '../../primitives/person.ts';
import type { Recipient } from '../../sending/schema.ts';
import { phoneNumber } from '../../sms/number.ts';
import { DEFAULT_MAX_SEGMENTS, type SmsContent } from '../../sms/schema.ts';
import { compileTemplate } from '../../templates/compile.ts';
import { RenderError, render } from '../../templates/render.ts';
import { eventScope, stepScopes } from './scopes.ts';
import { type SendStepDeps, sendStep } from './send.ts';
import type { StepContext, StepHandler } from './step.ts';

/** The number that a template gives; null where it gives none. */
const numberIn = (text: string, context: StepContext): string | null => {
  try {
    return phoneNumber(render(compileTemplate(text), stepScopes(context), { escapeHtml: false }).trim());
  } catch (error) {
    if (error instanceof RenderError) return null;
    throw error;
  }
};

/** Sends a text message as part of the run's own transaction, so that a crash can neither lose nor repeat it. */
export const sendSms =
  (deps: SendStepDeps): StepHandler<'send_sms'> =>
  (config, context) => {
    const { to, name: _name, onError: _onError, class: kind = 'marketing', category = null, ...fields } = config;
    const userId = userIdOf(context.run.person);
    const number = to === undefined ? null : numberIn(to, context);
    if (to !== undefined && number === null) return { outcome: 'error', reason: 'invalid_address' };
    const recipient: Recipient | null =
      number !== null
        ? { kind: 'address', address: number, name: null }
        : userId !== null
          ? { kind: 'user', userId }
          : null;
    // Somebody anonymous has no number of which we know.
    if (recipient === null) return { outcome: 'suppressed', reason: 'no_address' };
    const content: SmsContent = { ...fields, maxSegments: fields.maxSegments ?? DEFAULT_MAX_SEGMENTS };
    return sendStep(deps, context, {
      channel: 'sms',
      class: kind,
      category,
      title: null,
      content,
      variables: { event: eventScope(context) },
      recipients: [recipient],
    });
  };
