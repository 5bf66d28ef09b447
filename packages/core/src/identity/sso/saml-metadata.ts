// Metadata of this service for the identity provider of a connection.

import { notFound } from '../../foundation/errors.ts';
import { isRowId } from '../../foundation/ids.ts';
import { ENVIRONMENTS } from '../../foundation/scope.ts';
import type { SsoConnectionRow } from './connections/connections.ts';
import type { SsoParts } from './parts.ts';
import { serviceProviderMetadata } from './saml/metadata.ts';
import { requirePublicUrl, samlUrlsOf } from './urls.ts';

export const samlMetadata =
  ({ connections, scopes, publicUrl, requirePlan }: SsoParts) =>
  async ({
    orgId,
    connectionId,
  }: {
    readonly orgId: string;
    readonly connectionId: string | null;
  }): Promise<string> => {
    const all = (await Promise.all(ENVIRONMENTS.map((environment) => scopes.ofOrg({ orgId, environment })))).flat();
    const rows = (await connections.ofScopes(all)).filter(({ type }) => type === 'saml');
    const found: readonly SsoConnectionRow[] =
      connectionId === null ? rows : rows.filter(({ id }) => isRowId(connectionId) && id === connectionId);
    const [connection] = found;
    if (connection === undefined || found.length !== 1)
      throw notFound(
        connectionId === null ? 'only SAML connection of the organization' : 'SAML connection with this id',
      );
    await requirePlan({ orgId }, 'sso');
    const { entityId, acsUrl } = samlUrlsOf(requirePublicUrl(publicUrl), orgId, connection.id);
    const { wantEncrypted = false, encryptionCertificate = null } = connection.saml ?? {};
    return serviceProviderMetadata({
      ...{ entityId, acsUrl },
      encryptionCertificate: wantEncrypted ? encryptionCertificate : null,
    });
  };
