import type { Beckon, Environment, KeyKind, Org, Project } from '@beckon/core';

/** Default names of the first organization and project. */
export const DEFAULT_ORG = 'My company';
export const DEFAULT_PROJECT = 'My app';

/** A new key with its secret. `name` is its prefix without the last underscore: `sk_test`. */
export type MintedKey = {
  readonly name: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly secret: string;
};

/** An organization with one project and four keys. */
export type Tenant = { readonly org: Org; readonly project: Project; readonly keys: readonly MintedKey[] };

const KINDS: readonly (readonly [KeyKind, Environment])[] = [
  ['public', 'prod'],
  ['secret', 'prod'],
  ['public', 'test'],
  ['secret', 'test'],
];

/**
 * Creates an organization, a project, and a public and a secret key for each environment.
 *
 * @param existing an organization without a project, to use instead of a new one
 */
export const createTenant = async (
  { tenancy }: Pick<Beckon, 'tenancy'>,
  names: { readonly org: string; readonly project: string },
  existing?: Org,
): Promise<Tenant> => {
  const org = existing ?? (await tenancy.createOrg({ name: names.org }));
  const project = await tenancy.createProject({ orgId: org.id, name: names.project });
  const keys: MintedKey[] = [];
  for (const [kind, environment] of KINDS) {
    const name = `${kind === 'public' ? 'pk' : 'sk'}_${environment}`;
    const grants = [{ orgId: org.id, projectId: project.id }];
    const { secret } = await tenancy.createKey({ kind, environment, grants, name });
    keys.push({ name, kind, environment, secret });
  }
  return { org, project, keys };
};

/** Keys as text: `pk_prod  public key of prod   pk_prod_...`, one line each. */
export const keyLines = (keys: readonly MintedKey[]): string[] =>
  keys.map(
    ({ name, kind, environment, secret }) => `  ${name}  ${`${kind} key of ${environment}`.padEnd(18)}  ${secret}`,
  );

/** Keys as `NAME=value`, ready for a `.env` file: `BECKON_TEST_SECRET_KEY=sk_test_...`. */
export const keyAssignments = (keys: readonly Pick<MintedKey, 'kind' | 'environment' | 'secret'>[]): string[] =>
  keys.map(
    ({ kind, environment, secret }) => `BECKON_${environment.toUpperCase()}_${kind.toUpperCase()}_KEY=${secret}`,
  );
