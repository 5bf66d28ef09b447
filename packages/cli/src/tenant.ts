import type { Beckon, Environment, KeyKind, Org, Project } from '@beckon/core';

/** What the first org and its project are called unless somebody names them. */
export const DEFAULT_ORG = 'My company';
export const DEFAULT_PROJECT = 'My app';

/** One key as it is shown, once. `name` is its prefix without the last underscore: `sk_test`. */
export type MintedKey = {
  readonly name: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  readonly secret: string;
};

/** An org with one project and the four keys that everybody needs. */
export type Tenant = { readonly org: Org; readonly project: Project; readonly keys: readonly MintedKey[] };

const KINDS: readonly (readonly [KeyKind, Environment])[] = [
  ['public', 'prod'],
  ['secret', 'prod'],
  ['public', 'test'],
  ['secret', 'test'],
];

/**
 * Makes an org, its project, and a public and a secret key for each environment.
 *
 * @param given an org that is there already, without a project
 */
export const createTenant = async (
  { tenancy }: Pick<Beckon, 'tenancy'>,
  names: { readonly org: string; readonly project: string },
  given?: Org,
): Promise<Tenant> => {
  const org = given ?? (await tenancy.createOrg({ name: names.org }));
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

/** Keys for a person: `pk_prod  public key of prod   pk_prod_...`, one line each. */
export const keyLines = (keys: readonly MintedKey[]): string[] =>
  keys.map(
    ({ name, kind, environment, secret }) => `  ${name}  ${`${kind} key of ${environment}`.padEnd(18)}  ${secret}`,
  );

/** Keys as `NAME=value`, ready for a `.env` file: `BECKON_TEST_SECRET_KEY=sk_test_...`. */
export const keyAssignments = (keys: readonly Pick<MintedKey, 'kind' | 'environment' | 'secret'>[]): string[] =>
  keys.map(
    ({ kind, environment, secret }) => `BECKON_${environment.toUpperCase()}_${kind.toUpperCase()}_KEY=${secret}`,
  );
