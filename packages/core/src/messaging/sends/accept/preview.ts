import type { ProviderConnections } from '../../../delivery/providers/connections.ts';
import type { Mailbox, MessageOf } from '../../../delivery/transports/port.ts';
import type { ContentOf } from '../../../delivery/transports/sandbox/api.ts';
import type { Channel } from '../../../foundation/channel.ts';
import { compact } from '../../../foundation/compact.ts';
import { validationError } from '../../../foundation/errors.ts';
import { userPerson } from '../../../foundation/person.ts';
import { type Scope, scopeOf } from '../../../foundation/scope.ts';
import { messageScopes, type ProfileView, personKey } from '../../../people/profiles/view.ts';
import type { TemplateContent, TemplateKind } from '../../templates/kind.ts';
import { type PreviewBody, type RenderPreview, SAMPLE_USER, unresolvedIn } from '../../templates/preview.ts';
import { readContent } from '../../templates/schema.ts';
import type { SendPreviews } from '../api.ts';
import { type Address, type Addresses, recipientKey } from '../channel.ts';
import type { SendsContext } from '../context.ts';
import { inLanguage, readerLocale } from '../deliver/choose-content.ts';
import { describeMessage } from '../outbox/describe-message.ts';
import { CHUNK_ADDRESSES, type Recipient } from '../schema.ts';

/** Dependencies of previews. */
type PreviewContext = Pick<SendsContext, 'clock' | 'ids' | 'channels' | 'loadProfiles'> & {
  readonly connections: Pick<ProviderConnections, 'load'>;
};

/**
 * Placeholder addresses of previews without a user. Source: RFC 2606, section 3; a 555-01xx number is reserved for
 * fiction.
 */
const NOWHERE: { readonly [C in Channel]: Address } = {
  push: { address: 'sample', name: null, facts: { platform: 'ios' } },
  email: { address: 'sample@example.com', name: null, facts: {} },
  sms: { address: '+12025550123', name: null, facts: {} },
};
const SENDER: Mailbox = { email: 'sender@example.com', name: null };

/** Makes the function that renders a template for a user. Writes nothing. */
export const previews = ({
  clock,
  ids,
  channels,
  connections,
  loadProfiles,
}: PreviewContext): RenderPreview<SendPreviews> => {
  const profileOf = async (scope: Scope, userId: string): Promise<ProfileView | undefined> => {
    const key = { ...scopeOf(scope), person: userPerson(userId) };
    return (await loadProfiles([key])).get(personKey(key));
  };

  const addressesOf = async (
    scope: Scope,
    channel: Channel,
    userId: string,
    content: TemplateContent,
    profile: ProfileView | undefined,
  ): Promise<Addresses> => {
    const recipient: Recipient = { kind: 'user', userId };
    const target = { ...scopeOf(scope), recipient };
    const loaded = await channels[channel].load?.([target], { after: null, limit: CHUNK_ADDRESSES });
    return channels[channel].addressesOf({
      target,
      content,
      profile,
      loaded: loaded?.found.get(recipientKey(target)) ?? [],
    });
  };

  /** What the channel knows of a user's address; null: nothing. */
  const stateOf = async (scope: Scope, channel: Channel, userId: string, id: string, to: Address) => {
    const { address, facts } = to;
    const states = await channels[channel].states?.([
      { ...scopeOf(scope), id, person: userPerson(userId), address, facts },
    ]);
    return states?.get(id) ?? null;
  };

  const scopesOf = ({ userId, variables = {}, locale }: PreviewBody, profile: ProfileView | undefined) => {
    const sample = { ...SAMPLE_USER, ...compact({ locale }) };
    return messageScopes({ event: variables, ...(userId === undefined ? { user: sample } : {}) }, profile);
  };

  return async <C extends Channel>(
    scope: Scope,
    kind: TemplateKind<C>,
    template: TemplateContent,
    request: PreviewBody,
  ) => {
    const { channel } = kind;
    const read = readContent(kind, template);
    if (!read.ok) throw validationError(read.problems);
    // Without tracking, so opens and clicks of a preview are not counted.
    const { tracking: _, ...content }: TemplateContent = read.content;
    const { userId, locale } = request;
    const stored = userId === undefined ? undefined : await profileOf(scope, userId);
    const profile = stored && locale !== undefined ? { ...stored, localeOverride: locale } : stored;
    const addresses = userId === undefined ? [] : await addressesOf(scope, channel, userId, content, profile);
    const reached = 'none' in addresses ? undefined : addresses[0];
    const to = reached ?? NOWHERE[channel];
    const messageId = ids.next();
    const state = userId !== undefined && reached ? await stateOf(scope, channel, userId, messageId, reached) : null;
    // The address is checked before the content.
    const stops = 'none' in addresses ? addresses.none : (state?.unusable ?? null);
    const [connectionOf] = await Promise.all([
      connections.load([{ ...scopeOf(scope), channel, platform: to.facts.platform }]),
      channels[channel].ready?.(),
    ]);
    const connection = connectionOf({ ...scopeOf(scope), channel, platform: to.facts.platform });
    const scopes = scopesOf(request, profile);
    const reader = locale ?? readerLocale(channel, state, profile ?? null);
    const { content: chosen } = inLanguage(channels[channel], content, reader);
    if (chosen === null) {
      const unresolved = unresolvedIn(kind, content, scopes);
      const reason = stops ?? 'locale_unsupported';
      return { status: 'suppressed' as const, reason, content: null, unresolved, warnings: [] };
    }
    const rendered = channels[channel].render(chosen, {
      scope,
      messageId,
      sendId: ids.next(),
      to,
      role: 'to',
      // Transactional, so the preview has no working unsubscribe link.
      class: 'transactional',
      defaultFrom: connection?.defaultFrom ?? SENDER,
      statusCallback: null,
      scopes,
      now: clock.now(),
    });
    const unresolved = unresolvedIn(kind, chosen, scopes);
    if (rendered.verdict !== 'pass') {
      const reason = rendered.verdict === 'suppressed' ? rendered.reason : rendered.code;
      const end =
        stops === null ? { status: rendered.verdict, reason } : { status: 'suppressed' as const, reason: stops };
      return { ...end, content: null, unresolved, warnings: [] };
    }
    // Safe, both casts: the channel's own port renders its own message type, and `describeMessage` keeps the channel.
    const message = rendered.message as MessageOf[C];
    const shown = describeMessage(message) as ContentOf[C];
    return {
      status: stops === null ? 'queued' : 'suppressed',
      reason: stops,
      content: shown,
      unresolved,
      warnings: kind.weigh(message),
    };
  };
};
