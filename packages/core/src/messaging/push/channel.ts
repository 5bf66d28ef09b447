import type { PushMessage } from '../../delivery/transports/port.ts';
import type { ChannelPort, Rendered } from '../sends/channel.ts';
import { localisedPush, type PushContent } from './content.ts';
import { deviceKey, platformOf } from './device-token.ts';
import { activityAddress, activityIn, activityMessage } from './live-activities/content.ts';
import { pushRenderer, type RenderedPush } from './render.ts';
import { ONLY_INACTIVE, platformsIn, pushTokenLookup, rawAddress, type TokenLookup } from './token-lookup.ts';

const FAILURES: Readonly<Record<Exclude<(RenderedPush & { ok: false })['reason'], 'empty_body'>, string>> = {
  too_large: 'The rendered texts are larger than 65,536 bytes.',
  unsafe_url: 'A value made a URL of the push one that is no link, or one that runs code.',
};

/** The push channel: one message per active token of a user, or per raw token. */
export const pushChannel = (lookup: TokenLookup, renderPush = pushRenderer()): ChannelPort<PushMessage> => ({
  ...pushTokenLookup(lookup),
  addressesOf: ({ target: { recipient }, loaded, content }) => {
    const activity = activityIn(content);
    if (activity && recipient.kind === 'address') return [activityAddress(activity, recipient.address)];
    if (recipient.kind === 'address') return [loaded[0] ?? rawAddress(recipient.address)];
    const platforms = platformsIn(content);
    const own = loaded.filter(({ facts }) => !platforms || (facts.platform && platforms.includes(facts.platform)));
    if (own.length > 0) return own;
    return { none: loaded === ONLY_INACTIVE ? 'token_inactive' : 'no_token' };
  },

  // A device is one row and belongs to one user.
  isAddressOwn: true,
  addressKey: deviceKey,

  // Safe: as in `render`.
  localise: (content, locale) => localisedPush(content as PushContent, locale),

  render: (content, { messageId, sendId, to, scopes, now }): Rendered<PushMessage> => {
    const activity = activityIn(content);
    if (activity) return { verdict: 'pass', message: activityMessage(activity, { messageId, sendId, to, now }) };
    // Safe: a request of channel push has the content that parsePushSend made, and content is immutable.
    const rendered = renderPush(content as PushContent, {
      messageId,
      sendId,
      platform: to.facts.platform ?? platformOf(to.address),
      token: to.address,
      apnsEnvironment: to.facts.apnsEnvironment ?? null,
      scopes,
      now,
    });
    if (rendered.ok) return { verdict: 'pass', message: rendered.message };
    if (rendered.reason === 'empty_body') return { verdict: 'suppressed', reason: 'empty_body' };
    return { verdict: 'failed', code: rendered.reason, message: FAILURES[rendered.reason] };
  },
});
