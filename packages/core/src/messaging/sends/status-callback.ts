import type { ProviderConnection } from '../../delivery/providers/connections.ts';
import type { InScope } from '../../foundation/scope.ts';

/** Where the provider of a text message reports what becomes of it; null: nowhere. Throws nothing. */
export type StatusCallback = (
  message: InScope & { readonly id: string },
  connection: Pick<ProviderConnection, 'provider' | 'inbound'>,
) => string | null;
