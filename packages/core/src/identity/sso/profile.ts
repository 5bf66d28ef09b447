// Reads what accounts take over of the attributes or claims of an identity provider.

import { truncateObject } from '../../foundation/truncate.ts';
import { accountEmailOf } from '../accounts/email-norm.ts';
import type { IdentityFields } from '../exchange/identity.ts';
import type { ExternalIdentity } from '../identities/identities.ts';
import { displayNameOf, MAX_RAW_BYTES } from '../social/identity.ts';
import type { SsoConnectionRow } from './connections/connections.ts';
import { type AttributeName, attributeNamesOf } from './connections/settings.ts';

/** Source: interface, Profiles. */
const MAX_EXTERNAL_ID = 256;
/** Chosen: groups that are stored of a user, and the characters of each. */
const MAX_GROUPS = 200;
const MAX_GROUP_CHARACTERS = 256;
const LOCALE = /^[a-z]{2,8}(?:[-_][a-z\d]{1,8}){0,4}$/i;

/** The values of an attribute or a claim; empty: absent. */
export type ValuesOf = (name: string) => readonly string[];

/** A user of a connection. */
export type SsoProfile = { readonly identity: ExternalIdentity; readonly fields: IdentityFields };

const textOf = (value: string | undefined, max: number): string | null => {
  const text = (value ?? '').toWellFormed().trim();
  return text === '' || text.length > max || /\p{Cc}/u.test(text) ? null : text;
};

/** The claims; none if PostgreSQL could not store them: U+0000 and halves of a surrogate pair. */
const storable = (raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  /\\u(?:0000|d[89a-f]..)/i.test(JSON.stringify(raw)) ? {} : raw;

/** The names of groups, each once. */
const groupsOf = (values: readonly string[]): readonly string[] => [
  ...new Set(values.flatMap((value) => textOf(value, MAX_GROUP_CHARACTERS) ?? []).slice(0, MAX_GROUPS)),
];

/**
 * The identity of a user of a connection, and what its account takes over. Throws errors of `isProven`.
 *
 * @param raw attributes or claims, of which 8 KB are stored
 * @param isProven whether an address is in a proven domain of the connection: elsewhere it is only a label
 */
export const ssoProfile = async (
  connection: SsoConnectionRow,
  {
    issuer,
    subject,
    valuesOf,
    raw,
    isProven,
  }: {
    readonly issuer: string;
    readonly subject: string;
    readonly valuesOf: ValuesOf;
    readonly raw: Readonly<Record<string, unknown>>;
    isProven(email: string): Promise<boolean>;
  },
): Promise<SsoProfile> => {
  const names = attributeNamesOf(connection);
  const found = (name: AttributeName): readonly string[] =>
    names[name].map(valuesOf).find((values) => values.length > 0) ?? [];
  const [email] = found('email').flatMap((value) => accountEmailOf(value)?.email ?? []);
  const locale = textOf(found('locale')[0], 64);
  const groups = groupsOf(found('groups'));
  return {
    identity: {
      ...{ provider: connection.type, connectionId: connection.id, issuer, subject },
      email: email ?? null,
      emailVerified: email !== undefined && (await isProven(email)),
      name: displayNameOf(found('name')[0]),
      raw: truncateObject({ ...(groups.length > 0 && { groups }), ...storable(raw) }, MAX_RAW_BYTES),
    },
    fields: {
      locale: locale !== null && LOCALE.test(locale) ? locale.replaceAll('_', '-') : null,
      externalId: textOf(found('externalId')[0], MAX_EXTERNAL_ID),
    },
  };
};
