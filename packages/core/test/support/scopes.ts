import type { Environment, ProjectScope, Scope, ScopeDirectory } from '../../src/foundation/scope.ts';

type Names = { readonly orgId: string; readonly projectId: string; readonly environment: Environment };

const projects = new Map<string, number>();
const scopes = new Map<string, Scope>();
const byId = new Map<number, Scope>();

/**
 * A scope as tenancy creates it, for tests of one engine without tenancy: the same names are the same scope. Throws
 * nothing.
 */
export const testScope = ({ orgId, projectId, environment }: Names): Scope => {
  const name = JSON.stringify([orgId, projectId, environment]);
  const known = scopes.get(name);
  if (known) return known;
  const project = JSON.stringify([orgId, projectId]);
  const projectKey = projects.get(project) ?? projects.size + 1;
  projects.set(project, projectKey);
  const scopeId = scopes.size + 1;
  // Safe: the mark exists in the type only.
  const scope = { scopeId, projectKey, orgId, projectId, environment } as unknown as Scope;
  scopes.set(name, scope);
  byId.set(scopeId, scope);
  return scope;
};

/** The project of such scopes. Throws nothing. */
export const testProject = (names: Omit<Names, 'environment'>): ProjectScope =>
  testScope({ ...names, environment: 'prod' });

/** The `prod` scope of such a project. Throws nothing. */
export const testProdScope = async ({ orgId, projectId }: ProjectScope): Promise<Scope> =>
  testScope({ orgId, projectId, environment: 'prod' });

/** The scope that differs from another in some of its names. Throws nothing. */
export const scopeLike = ({ orgId, projectId, environment }: Scope, names: Partial<Names>): Scope =>
  testScope({ orgId, projectId, environment, ...names });

/** The names of such a scope, for messages of tests; for another scope its number. Throws nothing. */
export const nameOfScope = ({ scopeId }: { readonly scopeId: number }): string => {
  const scope = byId.get(scopeId);
  return scope ? `${scope.orgId}/${scope.projectId}/${scope.environment}` : `scope ${scopeId}`;
};

/** Every scope that `testScope` made. */
export const testScopes: ScopeDirectory = {
  load: async () => (scopeId) => {
    const scope = byId.get(scopeId);
    if (!scope) throw new Error(`no test has made scope ${scopeId}`);
    return scope;
  },
};

/** What responses show of a scope. Throws nothing. */
export const namesOf = ({ orgId, projectId, environment }: Scope): Names => ({ orgId, projectId, environment });
