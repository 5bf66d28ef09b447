import { Option } from 'commander';
import type { Api, RowOf } from '../api.ts';
import type { Context } from '../command-line.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { readInput, readSecret } from '../input.ts';
import { collect } from '../listing.ts';
import { custom } from '../table/custom.ts';
import { noun } from '../table/noun.ts';
import { calls, lists } from '../table/verbs.ts';

type Connection = RowOf<'GET /auth-service/sso/connections'>;
type Domain = RowOf<'GET /auth-service/sso/domains'>;

/** Bytes of a metadata file. */
const MAX_METADATA_BYTES = 262_144;
/** Domains that are searched by name. Chosen: the most that an environment has. */
const MAX_DOMAINS = 10_000;
const PRESETS = ['okta', 'entra', 'google', 'keycloak', 'auth0'] as const;
const YES_NO = ['yes', 'no'] as const;

/** Options of `auth sso create` and `update` by their names. */
type Flags = {
  readonly name?: string;
  readonly enabled?: 'yes' | 'no';
  readonly provider?: (typeof PRESETS)[number];
  readonly attribute?: readonly string[];
  readonly metadata?: string;
  readonly entityId?: string;
  readonly ssoUrl?: string;
  readonly certificate?: readonly string[];
  readonly encrypted?: 'yes' | 'no';
  readonly idpInitiated?: 'yes' | 'no';
  readonly idpInitiatedRedirectTo?: string;
  readonly issuer?: string;
  readonly clientId?: string;
  readonly secretFile?: string;
  readonly scopes?: readonly string[];
};

const shared = [
  new Option('--enabled <choice>', 'Whether users may sign in with it').choices([...YES_NO]),
  new Option('--provider <product>', 'Product, for the default names of attributes').choices([...PRESETS]),
  new Option('--attribute <names...>', 'Name of an attribute, such as email=mail; repeatable'),
  new Option('--metadata <file>', 'SAML: file with the metadata of the identity provider; - for stdin'),
  new Option('--entity-id <id>', 'SAML: entity id of the identity provider'),
  new Option('--sso-url <url>', 'SAML: URL of the identity provider'),
  new Option('--certificate <files...>', 'SAML: files with signing certificates in PEM'),
  new Option('--encrypted <choice>', 'SAML: whether assertions must be encrypted').choices([...YES_NO]),
  new Option('--idp-initiated <choice>', 'SAML: whether it may start a sign-in').choices([...YES_NO]),
  new Option('--idp-initiated-redirect-to <url>', 'SAML: page that such a sign-in ends at'),
  new Option('--client-id <id>', 'OpenID Connect: client id of your app'),
  new Option('--secret-file <file>', 'OpenID Connect: file with the client secret; - for stdin'),
  new Option('--scopes <scopes...>', 'OpenID Connect: scopes to request in addition'),
];

const readText = async ({ io }: Context, file: string): Promise<string> => {
  const tooLarge = () => new CliError(EXIT.invalid, `${file} exceeds ${MAX_METADATA_BYTES} bytes.`);
  return Buffer.from(await readInput(io, file, MAX_METADATA_BYTES, tooLarge)).toString('utf8');
};

/** Names of attributes by what they hold, from texts such as `email=mail`. */
const attributesOf = (texts: readonly string[]): Readonly<Record<string, readonly string[]>> => {
  const names = new Map<string, string[]>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) throw new CliError(EXIT.usage, `"${text}" is no attribute: write email=mail.`);
    const [key, name] = [text.slice(0, at), text.slice(at + 1)];
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return Object.fromEntries(names);
};

const samlOf = async (context: Context, flags: Flags): Promise<object | null> => {
  const { metadata, entityId, ssoUrl, certificate, encrypted, idpInitiated, idpInitiatedRedirectTo } = flags;
  const settings = {
    ...(metadata !== undefined && { metadataXml: await readText(context, metadata) }),
    ...(entityId !== undefined && { entityId }),
    ...(ssoUrl !== undefined && { ssoUrl }),
    ...(certificate !== undefined && {
      certificates: await Promise.all(certificate.map((file) => readText(context, file))),
    }),
    ...(encrypted !== undefined && { wantEncrypted: encrypted === 'yes' }),
    ...(idpInitiated !== undefined && { idpInitiated: idpInitiated === 'yes' }),
    ...(idpInitiatedRedirectTo !== undefined && { idpInitiatedRedirectTo }),
  };
  return Object.keys(settings).length === 0 ? null : settings;
};

const oidcOf = async (context: Context, flags: Flags): Promise<object | null> => {
  const { issuer, clientId, secretFile, scopes } = flags;
  const settings = {
    ...(issuer !== undefined && { issuer }),
    ...(clientId !== undefined && { clientId }),
    ...(secretFile !== undefined && { clientSecret: await readSecret(context.io, secretFile) }),
    ...(scopes !== undefined && { scopes: [...scopes] }),
  };
  return Object.keys(settings).length === 0 ? null : settings;
};

const bodyOf = async (context: Context, flags: Flags): Promise<object> => {
  const { enabled, provider, attribute } = flags;
  const [saml, oidc] = [await samlOf(context, flags), await oidcOf(context, flags)];
  return {
    ...(enabled !== undefined && { enabled: enabled === 'yes' }),
    ...(provider !== undefined && { provider }),
    ...(attribute !== undefined && { attributes: attributesOf(attribute) }),
    ...(saml !== null && { saml }),
    ...(oidc !== null && { oidc }),
  };
};

const linesOf = ({ id, name, type, enabled, saml, oidc, domains }: Connection): readonly string[] => [
  `${name} (${type}${enabled ? '' : ', disabled'}): ${id}`,
  ...(saml === null
    ? []
    : [
        `Entity id (audience): ${saml.spEntityId ?? 'needs publicUrl'}`,
        `ACS URL: ${saml.acsUrl ?? 'needs publicUrl'}`,
        ...saml.certificates.map(
          ({ fingerprint, expiresAt }) => `Certificate until ${String(expiresAt)}: ${fingerprint}`,
        ),
      ]),
  ...(oidc === null ? [] : [`Callback URL: ${oidc.callbackUrl ?? 'needs publicUrl'}`]),
  ...domains.map(({ domain, isVerified }) => `Domain: ${domain}${isVerified ? '' : ' (not verified)'}`),
];

const create = custom<Flags>({
  about: 'Create a connection to an identity provider',
  examples: [
    'Corp --metadata idp.xml --provider okta --env test',
    'Corp --issuer https://corp.okta.com --client-id 0oa1 --secret-file secret.txt --env test',
  ],
  help: '\nFor SAML, pass the metadata of the identity provider, or its entity id, URL and certificates.\nWithout any of them, the connection waits for "auth sso update ID --metadata idp.xml". The\ncommand prints what to enter at the identity provider.',
  args: [['<name>', 'Name, such as that of the organization']],
  options: [...shared, new Option('--issuer <url>', 'OpenID Connect: issuer of the provider')],
  work: async (api, { context, flags, args: [name = ''], output }) => {
    const settings = await bodyOf(context, flags);
    const isPending = !('saml' in settings) && !('oidc' in settings);
    const body = { name, ...settings, ...(isPending && { saml: {} }) };
    // Safe: core validates the body.
    const answer = await api.call('POST /auth-service/sso/connections', { body: body as never });
    output.answer(answer, linesOf(answer));
    return undefined;
  },
});

const update = custom<Flags>({
  about: 'Change a connection to an identity provider',
  examples: ['ID --certificate old.pem new.pem --env test', 'ID --enabled no --env test'],
  help: '\nFor a new signing certificate, pass the old and the new one until the identity provider has\nchanged over, or its new metadata.',
  args: [['<id>', 'Connection id, from "auth sso list"']],
  options: [new Option('--name <name>', 'New name'), ...shared],
  work: async (api, { context, flags, args: [id = ''], output }) => {
    const { name } = flags;
    const body = { ...(name !== undefined && { name }), ...(await bodyOf(context, flags)) };
    // Safe: core validates the body.
    const answer = await api.call('PATCH /auth-service/sso/connections/{id}', { params: { id }, body: body as never });
    output.answer(answer, linesOf(answer));
    return undefined;
  },
});

const connection = { arg: ['<id>', 'Connection id, from "auth sso list"'], into: 'id' } as const;

const domainId = async (api: Api, named: string): Promise<string> => {
  const { rows } = await collect<Domain>(MAX_DOMAINS, (query) => api.page('GET /auth-service/sso/domains', { query }));
  const found = rows.find(({ id, domain }) => id === named || domain === named.toLowerCase());
  if (found) return found.id;
  throw new CliError(EXIT.negative, `No SSO domain "${named}".`, {
    code: 'NOT_FOUND',
    hint: 'List domains: beckon auth sso domains list',
  });
};
const domain = { arg: ['<domain>', 'Domain name or id'], into: 'id', find: domainId } as const;

const domains = noun('domains', 'Manage the email domains of connections', {
  create: calls('POST /auth-service/sso/domains', {
    about: 'Add a domain and print its DNS record',
    examples: ['corp.example --connection ID --env test'],
    args: [{ arg: ['<domain>', 'Email domain, such as corp.example'], into: 'domain' }],
    flags: { connection: { field: 'connectionId', value: 'id', text: 'Connection id', isRequired: true } },
    lines: ({ txtName, txtValue }) => [`TXT\t${txtName}\t${txtValue}`],
    notes: (added) => [`Set this DNS record, then run: beckon auth sso domains verify ${added.domain}`],
  }),
  list: lists('GET /auth-service/sso/domains', {
    about: 'List domains of connections',
    examples: ['--env test'],
    columns: ({ id, time }) => [
      ['DOMAIN', (row) => row.domain],
      ['STATUS', ({ isVerified }) => (isVerified ? 'verified' : 'pending')],
      ['CONNECTION', ({ connectionId }) => id(connectionId)],
      ['CHECKED', ({ checkedAt }) => time(checkedAt)],
    ],
    none: ({ environment, place }) => `No SSO domains yet in ${environment} (${place}).`,
  }),
  verify: calls('POST /auth-service/sso/domains/{id}/verify', {
    about: 'Look up the DNS record of a domain',
    examples: ['corp.example --env test'],
    exits: '0 verified, 1 not verified',
    args: [domain],
    lines: ({ message }) => [message],
    exit: ({ isVerified }) => (isVerified ? undefined : EXIT.negative),
  }),
  delete: calls('DELETE /auth-service/sso/domains/{id}', {
    about: 'Delete a domain',
    examples: ['corp.example --env test'],
    args: [domain],
    lines: () => ['Deleted the domain. Linked identities stay.'],
  }),
});

/** `beckon auth sso`: connections to the identity providers of organizations. */
export const sso = noun('sso', 'Manage SSO connections: SAML and OpenID Connect', {
  create,
  list: lists('GET /auth-service/sso/connections', {
    about: 'List connections to identity providers',
    examples: ['--env test'],
    columns: ({ id, time }) => [
      ['ID', (row) => id(row.id)],
      ['NAME', ({ name }) => name],
      ['TYPE', ({ type }) => type],
      ['STATE', ({ enabled }) => (enabled ? 'enabled' : 'disabled')],
      ['DOMAINS', (row) => row.domains.map((one) => one.domain).join(' ')],
      ['UPDATED', ({ updatedAt }) => time(updatedAt)],
    ],
    none: ({ environment, place }) => `No SSO connections yet in ${environment} (${place}).`,
  }),
  show: calls('GET /auth-service/sso/connections/{id}', {
    about: 'Show a connection and what to enter at its provider',
    examples: ['ID --env test'],
    args: [connection],
    lines: linesOf,
  }),
  update,
  delete: calls('DELETE /auth-service/sso/connections/{id}', {
    about: 'Delete a connection with its domains and identities',
    examples: ['ID --env test'],
    args: [connection],
    lines: () => ['Deleted the connection. Accounts and sessions stay.'],
  }),
  domains,
});
