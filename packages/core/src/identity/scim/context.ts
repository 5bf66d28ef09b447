import type { Scope } from '../../foundation/scope.ts';
import type { AuthContext } from '../flow/context.ts';
import type { SsoConnections } from '../sso/connections/connections.ts';
import type { Scim } from './scim.ts';

/** The directory of a request, as the flows of SCIM need it. */
export type Directory = { readonly scope: Scope; readonly scopeId: number; readonly directoryId: string };

/** What the flows of SCIM share. */
export type ScimContext = {
  readonly context: AuthContext;
  readonly scim: Scim;
  /** Base address of SCIM. Throws PROVIDER_NOT_CONFIGURED without `publicUrl`. */
  baseUrl(): string;
  readonly connections: Pick<SsoConnections, 'byDomain' | 'byId'>;
};

/** Parts of a request that shape a resource in a response. */
export type Projection = { readonly attributes: string | null; readonly excludedAttributes: string | null };

/** Who changes a user in the audit log. */
export const actorOf = ({ directoryId }: Pick<Directory, 'directoryId'>): string => `scim:${directoryId}`;
