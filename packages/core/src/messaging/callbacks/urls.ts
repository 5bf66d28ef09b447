import type { Channel } from '../../foundation/channel.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { PathTokens } from './path-token.ts';

/** What a project gives a provider to post to. */
export type CallbackUrl = (scope: Scope, channel: Channel, provider: string) => string | null;

/** @param publicUrl null: there is nothing that a provider could reach */
export const callbackUrls =
  (publicUrl: string | null, tokens: PathTokens): CallbackUrl =>
  (scope, channel, provider) => {
    if (publicUrl === null) return null;
    // Text messages come in that are about none of ours: their URL names the org. Source: contract, Routes.
    const org = channel === 'sms' ? `/${encodeURIComponent(scope.orgId)}` : '';
    return `${publicUrl}/api/v1/${channel}/webhooks/${provider}${org}?k=${tokens.sign(scope)}`;
  };
