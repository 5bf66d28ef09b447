import type { ProviderConnections } from '../../../delivery/providers/connections.ts';
import type { ErrorDetails } from '../../../foundation/errors.ts';
import { type Scope, scopeOf } from '../../../foundation/scope.ts';
import type { SendRequest } from '../schema.ts';
import { explicitSender, type LoadSenderRules } from '../senders.ts';

/**
 * Checks the sender of an email; resolves to the refusal, or null if the sender is allowed. Called before any write.
 */
export type RefuseSender = (
  scope: Scope,
  request: SendRequest,
) => Promise<ErrorDetails['PROVIDER_NOT_CONFIGURED'] | null>;

/** If a project has domains, prod email must come from a verified domain. Source: contract, Email domains. */
export const senderRefusal =
  ({
    connections,
    loadSenders,
  }: {
    readonly connections: Pick<ProviderConnections, 'load'>;
    readonly loadSenders: LoadSenderRules;
  }): RefuseSender =>
  async (scope, { channel, content }) => {
    if (channel !== 'email' || scope.environment !== 'prod') return null;
    const rules = (await loadSenders([scope]))(scope);
    if (!rules.isRequired) return null;
    const key = { ...scopeOf(scope), channel, platform: undefined } as const;
    const from = explicitSender(content) ?? (await connections.load([key]))(key)?.defaultFrom.email ?? null;
    if (from === null || rules.mayBeFrom(from)) return null;
    const domain = from.slice(from.lastIndexOf('@') + 1);
    return { channel, provider: 'domain', missing: [domain] };
  };
