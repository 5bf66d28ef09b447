// How the exports of other systems become rows of an import. One function per system: a record in, a row out.

import { csvRow, isCsvColumn } from './csv-columns.ts';
import type { System } from './systems.ts';
import { flagOf, listOf, nameOf, objectOf, phoneOf, present, type Source, textOf, timeOf } from './values.ts';

/** A row of an import, or why the record is not one. */
export type Mapped = { readonly row: Source } | { readonly problem: string };

type Mapping = {
  /** How messages call it. */
  readonly name: string;
  /** Member of a JSON document that holds the records; absent: the document is an array or has one record per line. */
  readonly member?: RegExp;
  row(source: Source): Mapped;
  /** True for a column that it reads. Absent: columns are not checked. */
  isColumn?(name: string): boolean;
};

/** Names of providers in other systems. Others are the same here. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'google-oauth2': 'google',
  'google.com': 'google',
  'apple.com': 'apple',
  'facebook.com': 'facebook',
  'github.com': 'github',
  'microsoft.com': 'microsoft',
  windowslive: 'microsoft',
  azure: 'microsoft',
  'twitter.com': 'x',
  twitter: 'x',
  linkedin_oidc: 'linkedin',
  slack_oidc: 'slack',
  signinwithapple: 'apple',
  loginwithamazon: 'amazon',
};
/** Providers that sign-in knows. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['google', 'apple', 'microsoft', 'facebook', 'github', 'gitlab', 'discord', 'linkedin', 'x', 'twitch'],
  ...['slack', 'spotify'],
]);

type Linked = { readonly provider: unknown; readonly subject: unknown; readonly email?: unknown };

/** Identities at providers that Beckon knows; others cannot sign in here. */
const identitiesOf = (linked: readonly Linked[]): readonly Source[] | undefined => {
  const identities = linked.flatMap(({ provider, subject, email }) => {
    const name = textOf(provider)?.toLowerCase() ?? '';
    const [own, id] = [PROVIDERS[name] ?? name, textOf(subject)];
    return KNOWN.has(own) && id !== undefined
      ? [present({ provider: own, subject: id, email: textOf(email) }) ?? {}]
      : [];
  });
  return identities.length === 0 ? undefined : identities;
};

const mapped = (members: Source): Mapped => ({ row: present(members) ?? {} });

const auth0 = (source: Source): Mapped => {
  const oid = textOf(objectOf(source['_id'])?.['$oid']) ?? textOf(source['_id']);
  const custom = objectOf(source['custom_password_hash']);
  const appMetadata = objectOf(source['app_metadata']);
  return mapped({
    externalId: textOf(source['user_id']) ?? (oid === undefined ? undefined : oid.includes('|') ? oid : `auth0|${oid}`),
    email: textOf(source['email']),
    emailVerified: flagOf(source['email_verified']),
    phone: phoneOf(source['phone_number']),
    name: textOf(source['name']) ?? nameOf(source['given_name'], source['family_name']),
    locale: textOf(source['locale']),
    createdAt: timeOf(source['created_at']),
    passwordHash:
      textOf(source['passwordHash']) ??
      textOf(source['password_hash']) ??
      textOf(objectOf(custom?.['hash'])?.['value']),
    identities: identitiesOf(
      listOf(source['identities']).map(({ provider, user_id: subject }) => ({ provider, subject })),
    ),
    metadata: present({ ...objectOf(source['user_metadata']), app_metadata: appMetadata && present(appMetadata) }),
    disabled: flagOf(source['blocked']),
  });
};

/** Addresses that Clerk lists in one cell. */
const cellList = (value: unknown): readonly string[] =>
  (textOf(value) ?? '').split(/[|;,\s]+/).filter((text) => text !== '');

const clerk = (source: Source): Mapped => {
  const verified = cellList(source['verified_email_addresses']);
  const email =
    textOf(source['primary_email_address']) ?? verified[0] ?? cellList(source['unverified_email_addresses'])[0];
  return mapped({
    externalId: textOf(source['id']),
    email,
    emailVerified: email === undefined ? undefined : verified.includes(email),
    phone: phoneOf(source['primary_phone_number']) ?? phoneOf(cellList(source['verified_phone_numbers'])[0]),
    name: nameOf(source['first_name'], source['last_name']),
    locale: textOf(source['locale']),
    createdAt: timeOf(source['created_at']),
    passwordHash: textOf(source['password_digest']),
    totpSecret: textOf(source['totp_secret']),
    metadata: present({
      ...objectOf(source['unsafe_metadata']),
      ...objectOf(source['public_metadata']),
      username: textOf(source['username']),
      private_metadata: objectOf(source['private_metadata']),
    }),
    disabled: flagOf(source['banned']),
  });
};

/** Attributes as `list-users` writes them, or the columns of the CSV of Cognito. */
const attributesOf = (source: Source): Source => {
  const listed = listOf(source['Attributes']).map(({ Name, Value }) => [textOf(Name) ?? '', Value] as const);
  return listed.length > 0 ? Object.fromEntries(listed) : source;
};

const cognito = (source: Source): Mapped => {
  const attributes = attributesOf(source);
  const custom = Object.entries(attributes).flatMap(([name, value]) =>
    name.startsWith('custom:') && textOf(value) !== undefined ? [[name.slice('custom:'.length), value] as const] : [],
  );
  return mapped({
    externalId: textOf(attributes['sub']) ?? textOf(source['Username']) ?? textOf(source['cognito:username']),
    email: textOf(attributes['email']),
    emailVerified: flagOf(attributes['email_verified']),
    phone: phoneOf(attributes['phone_number']),
    name: textOf(attributes['name']) ?? nameOf(attributes['given_name'], attributes['family_name']),
    locale: textOf(attributes['locale']),
    timezone: textOf(attributes['zoneinfo']),
    createdAt: timeOf(source['UserCreateDate']),
    identities: identitiesOf(
      listOf(attributes['identities']).map(({ providerName: provider, userId: subject }) => ({ provider, subject })),
    ),
    metadata: present(Object.fromEntries(custom)),
    disabled: flagOf(source['Enabled']) === false ? true : undefined,
  });
};

const firebase = (source: Source): Mapped => {
  const [digest, salt] = [textOf(source['passwordHash']), textOf(source['salt'])];
  return mapped({
    externalId: textOf(source['localId']),
    email: textOf(source['email']),
    emailVerified: flagOf(source['emailVerified']),
    phone: phoneOf(source['phoneNumber']),
    name: textOf(source['displayName']),
    createdAt: timeOf(source['createdAt']),
    passwordHash: digest === undefined ? undefined : salt === undefined ? digest : `${digest}$${salt}`,
    identities: identitiesOf(
      listOf(source['providerUserInfo']).map(({ providerId: provider, rawId: subject, email }) => ({
        ...{ provider, subject, email },
      })),
    ),
    metadata: objectOf(source['customAttributes']),
    disabled: flagOf(source['disabled']),
  });
};

const supabase = (source: Source): Mapped => {
  if (textOf(source['deleted_at']) !== undefined) return { problem: 'is a deleted user' };
  if (flagOf(source['is_anonymous']) === true) return { problem: 'is an anonymous user, who cannot sign in again' };
  const metadata = objectOf(source['raw_user_meta_data']) ?? {};
  const banned = timeOf(source['banned_until']);
  const confirmed = textOf(source['email_confirmed_at']) ?? textOf(source['confirmed_at']);
  const email = textOf(source['email']);
  return mapped({
    ...{ externalId: textOf(source['id']), email },
    emailVerified: email === undefined ? undefined : confirmed !== undefined,
    phone: phoneOf(source['phone']),
    name: textOf(metadata['full_name']) ?? textOf(metadata['name']),
    createdAt: timeOf(source['created_at']),
    passwordHash: textOf(source['encrypted_password']),
    identities: identitiesOf(
      listOf(source['identities']).map(({ provider, provider_id: subject, email: address }) => ({
        ...{ provider, subject, email: address },
      })),
    ),
    totpSecret: textOf(source['totp_secret']),
    metadata: present(metadata),
    // A ban that is over is none.
    disabled: banned !== undefined && Date.parse(banned) > Date.now() ? true : undefined,
  });
};

/** Mappings by system. */
export const mappings: Readonly<Record<System, Mapping>> = {
  auth0: { name: 'Auth0', row: auth0 },
  clerk: { name: 'Clerk', row: clerk },
  cognito: { name: 'Amazon Cognito', member: /^\s*\{\s*"Users"\s*:\s*\[/, row: cognito },
  firebase: { name: 'Firebase', member: /^\s*\{\s*"users"\s*:\s*\[/, row: firebase },
  supabase: { name: 'Supabase', row: supabase },
  csv: { name: 'CSV', row: csvRow, isColumn: isCsvColumn },
  ndjson: { name: 'NDJSON', row: (row) => ({ row }) },
};
