import type { ProviderConnection } from '../../delivery/providers/connections.ts';
import type { InScope } from '../../foundation/scope.ts';

/** URL for the status reports of a text message's provider; null: none. Throws nothing. */
export type StatusCallback = (
  message: InScope & { readonly id: string },
  connection: Pick<ProviderConnection, 'provider' | 'inbound'>,
) => string | null;
