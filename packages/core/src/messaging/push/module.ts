import type { Providers } from '../../delivery/providers/module.ts';
import type { EndpointRules } from '../../delivery/transports/web-push/subscription.ts';
import type { CountPlaceholders } from '../../foundation/placeholder-user-id.ts';
import type { InScope } from '../../foundation/scope.ts';
import type { Emitter } from '../../people/events/emit.ts';
import { bindReaction } from '../../people/events/pipeline.ts';
import type { Trace } from '../../platform/erasure/erasure.ts';
import type { Platform } from '../../platform/platform.ts';
import { bindMessageReaction } from '../sends/finalize/reactions.ts';
import type { LoadCauses } from '../sends/lifecycle.ts';
import type { Sending } from '../sends/sending.ts';
import type { LoadSettings } from '../settings/reader.ts';
import type { UseTemplate } from '../templates/use.ts';
import { pushChannel } from './channel.ts';
import { deadTokens } from './invalidate.ts';
import { pushEngine } from './push.ts';
import type { PushTables } from './tables.ts';
import { type Tokens, tokensEngine } from './tokens.ts';

export type PushPlatform = Platform<PushTables>;

/** The push channel. Built before sending. */
export const pushContributions = (
  { storage, tables, scopes }: PushPlatform,
  { emitter, causes }: { readonly emitter: Emitter; readonly causes: LoadCauses },
) => ({
  name: 'push channel',
  internal: { channel: pushChannel({ storage, tables, scopes }) },
  messageReactions: [bindMessageReaction(deadTokens({ storage, tables, emitter, causes }))],
});

type TokenNeeds = {
  readonly endpoints: EndpointRules;
  readonly loadSettings: LoadSettings;
  readonly providers: Pick<Providers, 'vapidPublicKey'>;
  /** The user that an anonymous id was identified as; null: none yet. */
  readonly userOf: (scope: InScope, anonymousId: string) => Promise<string | null>;
  readonly countPlaceholders: CountPlaceholders;
};

/** Devices and their users. */
export const tokensModule = ({ storage, tables, clock, ids }: PushPlatform, needs: TokenNeeds) => {
  const { endpoints, loadSettings, providers, userOf, countPlaceholders } = needs;
  const tokens = tokensEngine({
    ...{ storage, tables, clock, ids, endpoints, userOf, countPlaceholders },
    vapidPublicKey: providers.vapidPublicKey,
    reactivates: async (scope) => (await loadSettings([scope]))(scope).channels.push.reactivateOnRegister,
  });
  return {
    name: 'tokens',
    api: tokens.api,
    internal: tokens satisfies Tokens,
    ingestReactions: [bindReaction(tokens.merges)],
    erasers: [tokens.eraser],
    traces: [async (scope, person) => (await tokens.ofPerson(scope, person)).length > 0] satisfies readonly Trace[],
  };
};

type Needs = {
  readonly endpoints: EndpointRules;
  readonly sends: Pick<Sending, 'submit' | 'report'>;
  readonly useTemplate: UseTemplate;
};

/** Push sends and device reports. Built after sending. */
export const pushModule = (
  { clock }: Pick<PushPlatform, 'clock'>,
  { endpoints, sends: { submit, report }, useTemplate }: Needs,
) => ({ name: 'push', api: pushEngine({ clock, submit, useTemplate, endpoints, report }) });
