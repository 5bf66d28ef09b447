// Secrets of workflows: values for headers of webhook steps, one per name and environment, and the project's signing
// secret. Both are among tenancy's sealed values, so a rotation of the master key includes them.

import { randomBytes as systemRandomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Storage } from '../../../database/storage.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { conflict, notFound, validationError } from '../../../foundation/errors.ts';
import { stableJson } from '../../../foundation/hash.ts';
import { listPage } from '../../../foundation/page.ts';
import { parse } from '../../../foundation/parse.ts';
import { type ProjectNames, type ScopeNames, scopeKey } from '../../../foundation/scope.ts';
import { newSigningSecret } from '../../../foundation/signing-secret.ts';
import type { Keyring } from '../keyring.ts';
import { placeOf } from '../sealed.ts';
import { tenancyStore } from '../store.ts';
import type { TenancyTables } from '../tables.ts';
import type { WorkflowSecretsApi } from './api.ts';
import { PREVIOUS_SIGNING, signingName } from './signing.ts';
import type { SecretName } from './store.ts';

/** Prefix of user-defined names, which keeps them apart from internal ones. */
const PREFIX = 'workflow/';
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
/** Maximum characters of a value. Chosen: a signed token has some 2,000. */
const MAX_VALUE = 8_192;
/** True for text that a header can contain. */
const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
/**
 * How long a previous secret also signs, in seconds. Source: contract, Outbound webhooks (one day). Chosen: at most one
 * week.
 */
const GRACE_SECONDS = 86_400;
const MAX_GRACE_SECONDS = 604_800;

/** Body of a secret. */
export const secretBody = z.strictObject({
  value: z
    .string()
    .min(1)
    .max(MAX_VALUE)
    .refine(isHeaderText, 'must be one line that an HTTP header can contain')
    .describe('Value of the secret, one line that an HTTP header can hold. 1 to 8,192 characters.'),
});
const rotationOptions = z.strictObject({
  graceSeconds: z
    .int()
    .min(0)
    .max(MAX_GRACE_SECONDS)
    .default(GRACE_SECONDS)
    .describe('Seconds that the previous secret keeps signing. At most 604,800 (a week). Default: 86,400 (a day).'),
});
const previousSecret = z.object({ secret: z.string(), until: z.iso.datetime() });

/** The parts of the platform that secrets need. The type of the platform itself depends on types of tenancy. */
export type SecretParts = {
  readonly storage: Storage;
  readonly tables: TenancyTables;
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, 'seal' | 'openText'>;
  readonly randomBytes?: ((size: number) => Uint8Array) | undefined;
};

/** Functions for the rest of the program, in addition to the public ones. */
export type WorkflowSecrets = {
  readonly api: WorkflowSecretsApi;
  /** The names without a value. */
  lacking(scope: ScopeNames, names: readonly string[]): Promise<ReadonlySet<string>>;
  /** The values of these names; missing ones are left out. Throws UnreadableSecret. */
  valuesOf(scope: ScopeNames, names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** The signing secrets of a project, the newest first. Throws NOT_FOUND, UnreadableSecret. */
  signingSecrets(project: ProjectNames): Promise<readonly string[]>;
};

export const workflowSecrets = ({
  storage,
  tables,
  clock,
  keyring,
  randomBytes = systemRandomBytes,
}: SecretParts): WorkflowSecrets => {
  const store = tenancyStore({ db: storage.db, tables });
  const nameOf = ({ orgId, projectId, environment }: ScopeNames, name: string): SecretName => ({
    orgId,
    projectId,
    environment,
    name: `${PREFIX}${name}`,
  });
  const plainName = (name: string): string => name.slice(PREFIX.length);
  const openSecret = async (name: SecretName): Promise<string | null> => {
    const sealed = await store.sealedSecret(name);
    return sealed === undefined ? null : keyring.openText(placeOf(name), sealed);
  };

  const rotate = async (project: ProjectNames, graceSeconds: number) => {
    const now = clock.now();
    const current = signingName(project);
    const previous = { ...current, name: PREVIOUS_SIGNING };
    const previousSealed = await store.sealedSecret(current);
    if (previousSealed === undefined) throw notFound('project with this id in this org');
    const secret = newSigningSecret(randomBytes);
    const until = graceSeconds === 0 ? null : new Date(now.getTime() + graceSeconds * 1_000);
    const kept =
      until === null
        ? null
        : JSON.stringify({
            secret: await keyring.openText(placeOf(current), previousSealed),
            until: until.toISOString(),
          });
    const sealed = await keyring.seal(placeOf(current), secret);
    const sealedPrevious = kept === null ? null : await keyring.seal(placeOf(previous), kept);
    await storage.transaction(async (db) => {
      const inside = tenancyStore({ db, tables });
      if (!(await inside.replaceSecret(current, previousSealed, sealed, now))) throw conflict('in_progress');
      if (sealedPrevious === null) await inside.removeSecret(previous);
      else await inside.putSecret({ ...previous, sealed: sealedPrevious, updatedAt: now });
    });
    return { secret, previousUntil: until };
  };

  return {
    api: {
      list: (scope, query = {}) =>
        listPage(query, {
          binding: stableJson(['workflow secrets', scopeKey(scope)]),
          read: async ({ after, limit }) => {
            const rows = await store.secretsOf(nameOf(scope, after ?? ''), PREFIX, limit);
            return rows.map(({ name, updatedAt }) => ({ name: plainName(name), updatedAt }));
          },
          positionOf: ({ name }) => name,
        }),
      set: async (scope, name, body) => {
        if (!NAME.test(name))
          throw validationError({
            name: ['must be 1 to 64 letters, digits, _ and -, and must begin with a letter or digit'],
          });
        const { value } = parse(secretBody, body);
        const key = nameOf(scope, name);
        const updatedAt = clock.now();
        await store.putSecret({ ...key, sealed: await keyring.seal(placeOf(key), value), updatedAt });
        return { name, updatedAt };
      },
      delete: async (scope, name) => {
        if (!(await store.removeSecret(nameOf(scope, name)))) throw notFound('secret of this name', scope);
        return { name };
      },
      rotateSigning: async (project, options = {}) => rotate(project, parse(rotationOptions, options).graceSeconds),
    },
    lacking: async (scope, names) => {
      if (names.length === 0) return new Set();
      const existing = new Set(await store.knownSecrets(names.map((name) => nameOf(scope, name))));
      return new Set(names.filter((name) => !existing.has(`${PREFIX}${name}`)));
    },
    valuesOf: async (scope, names) => {
      const values = await Promise.all(
        names.map(async (name) => [name, await openSecret(nameOf(scope, name))] as const),
      );
      return Object.fromEntries(values.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
    },
    signingSecrets: async (project) => {
      const name = signingName(project);
      const current = await openSecret(name);
      if (current === null) throw notFound('project with this id in this org');
      const older = await openSecret({ ...name, name: PREVIOUS_SIGNING });
      const previous = older === null ? null : previousSecret.parse(JSON.parse(older));
      return previous && new Date(previous.until) > clock.now() ? [current, previous.secret] : [current];
    },
  };
};
