import { MAX_PAGE_RESOURCES } from './responses.ts';
import { SCIM_RESOURCES, SCIM_SCHEMAS, type ScimResource, type ScimSchema } from './schemas.ts';

const SCHEMA_SCHEMA_ID = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const TYPE_SCHEMA_ID = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';
const CONFIG_SCHEMA_ID = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig';

const schemaDocument = (schema: ScimSchema, baseUrl: string) => ({
  schemas: [SCHEMA_SCHEMA_ID],
  ...schema,
  meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${schema.id}` },
});

const typeDocument = (resource: ScimResource, baseUrl: string) => ({
  schemas: [TYPE_SCHEMA_ID],
  id: resource.name,
  name: resource.name,
  endpoint: resource.endpoint,
  description: resource.description,
  schema: resource.schema.id,
  schemaExtensions: resource.extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${resource.name}` },
});

/** What this server supports. Source: RFC 7643, 5. */
const configDocument = (baseUrl: string) => ({
  schemas: [CONFIG_SCHEMA_ID],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_PAGE_RESOURCES },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of a SCIM directory in the Authorization header.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
});

/** The discovery documents, with addresses below `baseUrl`. */
export const discoveryDocuments = (baseUrl: string) => ({
  config: configDocument(baseUrl),
  schemas: SCIM_SCHEMAS.map((schema) => schemaDocument(schema, baseUrl)),
  resourceTypes: SCIM_RESOURCES.map((resource) => typeDocument(resource, baseUrl)),
});
