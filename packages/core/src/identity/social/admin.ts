// Apps at social providers, as operators manage them.

import { notFound } from '../../foundation/errors.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { SocialProvider } from '../auth-settings/social-providers.ts';
import type { AuthContext } from '../flow/context.ts';
import { recordAction } from '../flow/record.ts';
import type { SocialProviderDeleted, SocialProviderEnabled, SocialProviderSettings } from './answers.generated.ts';
import type { SocialProviders, StoredProvider } from './credentials.ts';
import { callbackUrlOf, providerIn } from './sign-in.ts';

type Actor = { readonly actor?: string | undefined };

export const socialAdmin = (context: AuthContext, providers: SocialProviders, publicUrl: string | null) => {
  const shown = (stored: StoredProvider): SocialProviderSettings => ({
    ...stored,
    callbackUrl: callbackUrlOf(publicUrl, stored.provider),
  });
  const record = (scope: Scope, actor: string, action: string, target: SocialProvider): Promise<void> =>
    recordAction(context, scope, { actor, action, target, result: 'ok' });
  const missing = (scope: Scope) => notFound('social provider with this name', scope);
  return {
    /** Providers that users can sign in with. */
    enabled: async (scope: Scope): Promise<readonly SocialProviderEnabled[]> =>
      (await providers.enabled(scope)).map(({ provider, clientId }) => ({ provider, enabled: true, clientId })),
    list: async (scope: Scope): Promise<readonly SocialProviderSettings[]> => (await providers.list(scope)).map(shown),
    /** Throws NOT_FOUND. */
    get: async (scope: Scope, name: string): Promise<SocialProviderSettings> => {
      const stored = await providers.get(scope, providerIn(name));
      if (!stored) throw missing(scope);
      return shown(stored);
    },
    put: async (
      scope: Scope,
      name: string,
      body: unknown,
      { actor = 'system' }: Actor = {},
    ): Promise<SocialProviderSettings> => {
      const provider = providerIn(name);
      const stored = await providers.put(scope, provider, body);
      await record(scope, actor, 'social_provider.update', provider);
      return shown(stored);
    },
    /** Throws NOT_FOUND. */
    remove: async (scope: Scope, name: string, { actor = 'system' }: Actor = {}): Promise<SocialProviderDeleted> => {
      const provider = providerIn(name);
      if (!(await providers.remove(scope, provider))) throw missing(scope);
      await record(scope, actor, 'social_provider.delete', provider);
      return { deleted: true };
    },
  };
};
