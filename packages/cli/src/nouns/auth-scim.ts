import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

const DIRECTORY = { arg: ['<id>', 'Directory id, from "auth scim directories list"'], into: 'id' } as const;

const directories = noun('directories', 'Manage SCIM directories', {
  list: lists('GET /auth-service/scim/directories', {
    about: 'List directories, newest first',
    examples: ['--env test'],
    columns: ({ id, time }) => [
      ['ID', (row) => id(row.id)],
      ['NAME', ({ name }) => name],
      ['BASE URL', ({ baseUrl }) => baseUrl],
      ['CREATED', ({ createdAt }) => time(createdAt)],
    ],
    none: ({ environment, place }) => `No SCIM directories yet in ${environment} (${place}).`,
  }),
  get: calls('GET /auth-service/scim/directories/{id}', {
    about: 'Show a directory',
    examples: ['DIRECTORY_ID --env test'],
    args: [DIRECTORY],
    lines: ({ id, name, baseUrl }) => [
      `${name} (${id})`,
      `Base URL: ${baseUrl ?? 'none: the server has no publicUrl'}`,
    ],
  }),
  create: calls('POST /auth-service/scim/directories', {
    about: 'Create a directory for an identity provider',
    examples: ['"Acme Okta" --env test'],
    args: [{ arg: ['<name>', 'Name, such as the company and its identity provider'], into: 'name' }],
    flags: { 'connection-id': { text: 'Connection with which its users sign in', value: 'id' } },
    lines: ({ id, baseUrl }) => [
      `Created directory ${id}.`,
      `Base URL: ${baseUrl ?? 'none: the server has no publicUrl'}`,
      `Create a token: beckon auth scim tokens create ${id}`,
    ],
  }),
  update: calls('PATCH /auth-service/scim/directories/{id}', {
    about: 'Change a directory',
    examples: ['DIRECTORY_ID --name "Acme Entra ID" --env test'],
    args: [DIRECTORY],
    flags: {
      name: { text: 'Name', value: 'name' },
      'connection-id': { text: 'Connection with which its users sign in', value: 'id' },
    },
    lines: ({ id }) => [`Changed directory ${id}.`],
  }),
  delete: calls('DELETE /auth-service/scim/directories/{id}', {
    about: 'Delete a directory',
    examples: ['DIRECTORY_ID --env test'],
    help: '\nIts tokens stop working, and its users and groups are forgotten. The accounts stay as they are.',
    args: [DIRECTORY],
    lines: () => ['Deleted the directory. Its tokens no longer work.'],
  }),
});

const tokens = noun('tokens', 'Manage the tokens of SCIM directories', {
  list: lists('GET /auth-service/scim/tokens', {
    about: 'List tokens, newest first',
    examples: ['--env test', '--directory-id DIRECTORY_ID --env test'],
    flags: { 'directory-id': { text: 'Directory (default: all)', value: 'id' } },
    columns: ({ id, time }) => [
      ['ID', (row) => id(row.id)],
      ['DIRECTORY', ({ directoryId }) => id(directoryId)],
      ['ENDS WITH', ({ last4 }) => last4],
      ['CREATED', ({ createdAt }) => time(createdAt)],
      ['EXPIRES', ({ expiresAt }) => time(expiresAt)],
      ['LAST USED', ({ lastUsedAt }) => time(lastUsedAt)],
    ],
    none: ({ environment, place }) => `No SCIM tokens yet in ${environment} (${place}).`,
  }),
  create: calls('POST /auth-service/scim/tokens', {
    about: 'Create a token and print it once',
    examples: ['DIRECTORY_ID --env test'],
    help: '\nA directory has at most 5 tokens that have not expired, so that one can replace another.',
    args: [{ arg: ['<directory>', 'Directory id, from "auth scim directories list"'], into: 'directoryId' }],
    flags: { 'expires-at': { text: 'Expiry, ISO 8601 with an offset (default: in a year)', value: 'time' } },
    lines: ({ token }) => [token],
    notes: ({ id }) => [`Created token ${id}. It is shown only once: store it now.`],
  }),
  delete: calls('DELETE /auth-service/scim/tokens/{id}', {
    about: 'Delete a token',
    examples: ['TOKEN_ID --env test'],
    args: [{ arg: ['<id>', 'Token id, from "auth scim tokens list"'], into: 'id' }],
    lines: () => ['Deleted the token. It no longer works.'],
  }),
});

/** `beckon auth scim`: directories that provision users, and their tokens. */
export const scim = noun('scim', 'Manage provisioning by SCIM', { directories, tokens });
