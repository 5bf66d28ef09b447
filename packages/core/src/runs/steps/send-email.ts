import { mailAddress } from '../../email/address.ts';
import type { EmailContent } from '../../email/schema.ts';
import { trackingOf } from '../../email/tracking.ts';
import { userIdOf } from '../../primitives/person.ts';
import type { Recipient } from '../../sending/schema.ts';
import { compileTemplate } from '../../templates/compile.ts';
import { RenderError, render } from '../../templates/render.ts';
import { eventScope, stepScopes } from './scopes.ts';
import { type SendStepDeps, sendStep } from './send.ts';
import type { StepContext, StepHandler, StepResult } from './step.ts';

type Config = Parameters<StepHandler<'send_email'>>[0];

/** Who is written to: the config's address, else the run's user; null: somebody anonymous has no address. */
const recipientOf = ({ to }: { to: string | null | undefined }, { run }: StepContext): Recipient | null => {
  if (typeof to === 'string') return { kind: 'address', address: to, name: null };
  const userId = userIdOf(run.person);
  return userId === null ? null : { kind: 'user', userId };
};

/** `publicUrl` null: a step that asks for tracking ends as an error. */
export type SendEmailDeps = SendStepDeps & { readonly publicUrl: string | null };

/** Sends a mail as part of the run's own transaction, so that a crash can neither lose nor repeat it. */
export const sendEmail =
  ({ publicUrl, ...deps }: SendEmailDeps): StepHandler<'send_email'> =>
  (config: Config, context): StepResult => {
    const { to, from, replyTo, tracking: asked, name: _name, onError: _onError, class: kind, ...texts } = config;
    const tracking = trackingOf(asked, publicUrl);
    if (tracking === 'unavailable') return { outcome: 'error', reason: 'tracking_unavailable' };
    const scopes = stepScopes(context);
    const addressOf = (text: string | undefined): string | null | undefined => {
      if (text === undefined) return undefined;
      try {
        return mailAddress(render(compileTemplate(text), scopes, { escapeHtml: false }).trim());
      } catch (error) {
        if (error instanceof RenderError) return null;
        throw error;
      }
    };
    const addresses = { to: addressOf(to), from: addressOf(from), replyTo: addressOf(replyTo) };
    if (Object.values(addresses).includes(null)) return { outcome: 'error', reason: 'invalid_address' };
    const recipient = recipientOf(addresses, context);
    if (!recipient) return { outcome: 'suppressed', reason: 'no_address' };
    const content: EmailContent = {
      ...texts,
      subject: texts.subject ?? '',
      ...(addresses.from ? { from: { email: addresses.from, name: null } } : {}),
      ...(addresses.replyTo ? { replyTo: { email: addresses.replyTo, name: null } } : {}),
      ...(tracking ? { tracking } : {}),
    };
    const said = { channel: 'email', class: kind ?? 'marketing', title: content.subject, content } as const;
    return sendStep(deps, context, { ...said, variables: { event: eventScope(context) }, recipients: [recipient] });
  };
