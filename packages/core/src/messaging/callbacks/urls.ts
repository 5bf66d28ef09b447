import type { Channel } from '../../foundation/channel.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { PathTokens } from './path-token.ts';

/** The URL that a project configures at a provider. */
export type CallbackUrl = (scope: Scope, channel: Channel, provider: string) => string | null;

/** @param publicUrl null: providers cannot reach this service */
export const callbackUrls =
  (publicUrl: string | null, tokens: PathTokens): CallbackUrl =>
  (scope, channel, provider) => {
    if (publicUrl === null) return null;
    // Inbound texts belong to no message, so their URL has the organization. Source: contract, Routes.
    const org = channel === 'sms' ? `/${encodeURIComponent(scope.orgId)}` : '';
    return `${publicUrl}/api/v1/${channel}/webhooks/${provider}${org}?k=${tokens.sign(scope)}`;
  };
