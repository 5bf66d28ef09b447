// Public keys of access tokens, by the issuer that the tokens name: without a key, since other services read them.

import { succeedDoubled } from '../pipeline/envelope.ts';
import { type OpenRoute, param } from '../route.ts';

/** Seconds that clients may cache the keys. A new key is published for twice as long before it signs. */
const MAX_AGE_SECONDS = 300;
const CACHED = { 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` };

const common = { method: 'GET', shape: 'auto', kind: 'public', scope: null, needs: 'nothing' } as const;
const issuerIn = (call: Parameters<typeof param>[0]) => ({
  projectId: param(call, 'projectId'),
  environment: param(call, 'environment'),
});
const HINT =
  'The response has the fields in `data`, and beside it for standard clients. It may be cached for 5 minutes.';

export const authKeyRoutes: readonly OpenRoute[] = [
  {
    ...common,
    path: '/auth-service/projects/:projectId/:environment/.well-known/jwks.json',
    summary: 'Get the public keys of an issuer',
    description: `A JSON Web Key Set (RFC 7517) with the keys that verify access tokens. ${HINT}`,
    answer: { doubled: 'AuthJwks', fields: ['keys'] },
    errors: ['NOT_FOUND'],
    run: async (beckon, call) => succeedDoubled(await beckon.auth.issuerJwks(issuerIn(call)), CACHED),
  },
  {
    ...common,
    path: '/auth-service/projects/:projectId/:environment/.well-known/openid-configuration',
    summary: 'Get the metadata of an issuer',
    description: `The location of the public keys (OpenID Connect Discovery). ${HINT}`,
    answer: {
      doubled: 'AuthOpenIdConfiguration',
      fields: [
        'issuer',
        'jwks_uri',
        'id_token_signing_alg_values_supported',
        'response_types_supported',
        'subject_types_supported',
      ],
    },
    errors: ['NOT_FOUND', 'PROVIDER_NOT_CONFIGURED'],
    run: async (beckon, call) => succeedDoubled(await beckon.auth.openIdConfiguration(issuerIn(call)), CACHED),
  },
];
