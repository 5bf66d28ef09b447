import { Option } from 'commander';
import type { RowOf } from '../api.ts';
import { readSecret } from '../input.ts';
import { custom } from '../table/custom.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

type Provider = RowOf<'GET /auth-service/social/providers'>;

const status = ({ enabled, hasClientSecret }: Provider): string => {
  if (!hasClientSecret) return 'no secret';
  return enabled ? 'enabled' : 'disabled';
};

/** Options of `auth social set` by their names. */
type SetFlags = {
  readonly clientId: string;
  readonly secretFile?: string;
  readonly enabled: 'yes' | 'no';
  readonly scopes?: readonly string[];
  readonly teamId?: string;
  readonly keyId?: string;
  readonly tenant?: string;
  readonly nativeClientIds?: readonly string[];
};

const set = custom<SetFlags>({
  about: 'Set up a social provider',
  examples: [
    'google --client-id 1234.apps.googleusercontent.com --secret-file secret.txt --env test',
    'apple --client-id com.example.web --secret-file key.p8 --team-id TEAM123456 --key-id KEY1234567 --env test',
  ],
  help: '\nReplaces the app at the provider. Without --secret-file the stored secret is kept. Enter the\ncallback URL that the command prints at the provider.',
  args: [['<provider>', 'Provider, such as google']],
  options: [
    new Option('--client-id <id>', 'Client id of your app at the provider').makeOptionMandatory(),
    new Option('--secret-file <file>', 'File with the client secret, for Apple the .p8 file; - for stdin'),
    new Option('--enabled <choice>', 'Whether users may sign in with it').choices(['yes', 'no']).default('yes'),
    new Option('--scopes <scopes...>', 'Scopes to request in addition'),
    new Option('--team-id <id>', 'Apple: team id'),
    new Option('--key-id <id>', 'Apple: id of the key'),
    new Option('--tenant <tenant>', 'Microsoft: tenant id, domain, common, organizations or consumers'),
    new Option('--native-client-ids <ids...>', 'Further client ids of apps that send native ID tokens'),
  ],
  work: async (api, { context, flags, args: [provider = ''], output }) => {
    const { clientId, secretFile, enabled, scopes, teamId, keyId, tenant, nativeClientIds } = flags;
    const clientSecret = secretFile === undefined ? undefined : await readSecret(context.io, secretFile);
    const answer = await api.call('PUT /auth-service/social/providers/{provider}', {
      params: { provider },
      body: {
        ...{ clientId, enabled: enabled === 'yes' },
        ...(clientSecret !== undefined && { clientSecret }),
        ...(scopes !== undefined && { scopes: [...scopes] }),
        extra: {
          ...(teamId !== undefined && { teamId }),
          ...(keyId !== undefined && { keyId }),
          ...(tenant !== undefined && { tenant }),
          ...(nativeClientIds !== undefined && { nativeClientIds: [...nativeClientIds] }),
        },
      },
    });
    output.answer(answer, [
      `Set up ${answer.provider}.`,
      answer.callbackUrl === null
        ? 'The server has no publicUrl, so nobody can sign in with it yet.'
        : `Callback URL: ${answer.callbackUrl}`,
    ]);
    return undefined;
  },
});

/** `beckon auth social`: apps at social providers. */
export const social = noun('social', 'Manage social providers of sign-in', {
  list: lists('GET /auth-service/social/providers', {
    about: 'List social providers that are set up',
    examples: ['--env test'],
    columns: ({ time }) => [
      ['PROVIDER', ({ provider }) => provider],
      ['STATUS', status],
      ['CLIENT ID', ({ clientId }) => clientId],
      ['CALLBACK URL', ({ callbackUrl }) => callbackUrl],
      ['UPDATED', ({ updatedAt }) => time(updatedAt)],
    ],
    none: ({ environment, place }) => `No social providers yet in ${environment} (${place}).`,
  }),
  set,
  remove: calls('DELETE /auth-service/social/providers/{provider}', {
    about: 'Remove a social provider',
    examples: ['google --env test'],
    help: '\nLinked identities stay, and work again when the provider is set up again.',
    args: [{ arg: ['<provider>', 'Provider, from "auth social list"'], into: 'provider' }],
    lines: () => ['Removed the provider. Users can no longer sign in with it.'],
  }),
});
