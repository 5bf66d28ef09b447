import type { Storage } from '../../database/storage.ts';
import type { EmailMessage } from '../../delivery/transports/port.ts';
import { withoutNulls } from '../../foundation/absent-null.ts';
import { addressKey, mailAddress } from '../../foundation/email-address.ts';
import { type Scope, scopeOf } from '../../foundation/scope.ts';
import { emailOf } from '../../people/profiles/view.ts';
import { sendCalls } from '../sends/accept/send-calls.ts';
import type { Submit } from '../sends/accept/submit.ts';
import { noTemplates, withTemplate } from '../sends/accept/template.ts';
import type { DryRun, Send } from '../sends/answers.generated.ts';
import type { ChannelPort } from '../sends/channel.ts';
import type { UseTemplate } from '../templates/use.ts';
import type { EmailApi, EmailAudienceInput, EmailInput } from './api.ts';
import { loadHtml } from './html-tags.ts';
import { emailRenderer } from './render.ts';
import { type EmailContent, emailInput, localisedMail, parseEmailSend } from './schema.ts';
import { emailTemplate } from './template.ts';
import type { RequestedTracking } from './tracking.ts';
import { canUnsubscribe, NO_UNSUBSCRIBE_LINK, type UnsubscribeLink } from './unsubscribe-links.ts';

/** The email channel. */
export const emailChannel = (
  renderMail = emailRenderer(),
  unsubscribeLink: UnsubscribeLink = () => null,
): ChannelPort<EmailMessage> => ({
  addressesOf: ({ target: { recipient }, profile }) => {
    const rawAddress = recipient.kind === 'address' ? recipient.address : profile ? emailOf(profile) : null;
    const address = rawAddress === null ? null : mailAddress(rawAddress);
    if (address === null) return { none: 'no_address' };
    return [{ address, name: recipient.kind === 'address' ? recipient.name : null, facts: {} }];
  },
  addressKey,
  // Safe: as in `render`.
  mainAddress: (content) => (content as EmailContent).addressed?.to.email ?? null,
  ready: loadHtml,
  // Safe: as in `render`.
  localise: (content, locale) => localisedMail(content as EmailContent, locale),
  render: (
    content,
    { scope, messageId, sendId, to: { address, name }, role, class: sendClass, defaultFrom, bounceDomain, scopes },
  ) => {
    const to = { email: address, name };
    const mail = { ...scopeOf(scope), messageId, sendId };
    const tracked = role === 'to' ? mail : null;
    // A copy has its own unsubscribe link, which applies to the recipient of the copy only.
    const unsubscribe = unsubscribeLink(mail, sendClass);
    // Safe: a request of channel email has the content that emailContentOf made, and content is immutable.
    const rendered = renderMail(content as EmailContent, {
      messageId,
      sendId,
      to,
      defaultFrom,
      scopes,
      tracked,
      unsubscribe,
      bounceDomain,
    });
    if (rendered.ok) return { verdict: 'pass', message: rendered.message };
    if (rendered.reason === 'empty_body') return { verdict: 'suppressed', reason: 'empty_body' };
    return { verdict: 'failed', code: rendered.reason, message: 'A rendered text of the mail is too large.' };
  },
});

/** Email sends. A send is accepted when the promise resolves: its row, and up to 100 messages, are stored. */
export const emailEngine = ({
  submit,
  useTemplate = noTemplates,
  publicUrl = null,
  loadTracking = async () => ({}),
  join = (_, work) => work(),
  hasMailPermit = () => false,
}: {
  readonly submit: Submit;
  /** Default: no templates. */
  readonly useTemplate?: UseTemplate | undefined;
  /** Public URL of this service; null: email with tracking is rejected. */
  readonly publicUrl?: string | null | undefined;
  /** Tracking of emails whose send leaves it out. Default: none. */
  readonly loadTracking?: ((scope: Scope) => Promise<RequestedTracking>) | undefined;
  /** Reads within a host's transaction. Default: outside of it. */
  readonly join?: Storage['join'] | undefined;
  /**
   * True if the send was already counted against the organization's email limit. Default: it is counted at handover.
   */
  readonly hasMailPermit?: (() => boolean) | undefined;
}): Pick<EmailApi, 'send' | 'sendToAudience'> => {
  return sendCalls<EmailInput, EmailAudienceInput, Send, DryRun>(async (scope, body, options) => {
    // Without a public URL nothing is tracked. In a host's transaction no other connection may be free.
    const client = options?.client;
    const load = () => loadTracking(scope);
    const tracking = publicUrl === null ? {} : await (client ? join(client, load) : load());
    const defaults = { publicUrl, tracking };
    const request = withTemplate(useTemplate, emailTemplate, scope, withoutNulls(emailInput, body), (sent) => {
      const parsed = { ...parseEmailSend(sent, defaults), hasMailPermit: hasMailPermit() };
      const isBare = scope.environment === 'prod' && parsed.class === 'marketing' && !canUnsubscribe(publicUrl);
      return isBare ? { ...parsed, warnings: [...(parsed.warnings ?? []), NO_UNSUBSCRIBE_LINK] } : parsed;
    });
    return submit(scope, request, { ...options, body });
  });
};
