import type { InScope } from '../primitives/scope.ts';
import type { ProviderConnection } from '../providers/connections.ts';

/** Where the provider of a text message reports what becomes of it; null: nowhere. Throws nothing. */
export type StatusCallback = (
  message: InScope & { readonly id: string },
  connection: Pick<ProviderConnection, 'provider' | 'inbound'>,
) => string | null;
