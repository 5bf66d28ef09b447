/** `prod` reaches people; `test` is served by the sandbox and never leaves the machine. */
export type Environment = 'prod' | 'test';

export const ENVIRONMENTS = ['prod', 'test'] as const satisfies readonly Environment[];

/** The tenant's application: definitions such as workflows belong to it and serve both environments. */
export type ProjectScope = { readonly orgId: string; readonly projectId: string };

/** Whose rows: nothing of an environment is read or written without one. */
export type Scope = ProjectScope & { readonly environment: Environment };

/** One string per scope, for maps. */
export const scopeKey = (scope: Scope): string => `${scope.orgId}/${scope.projectId}/${scope.environment}`;

/** The three columns of a scope and nothing else, for rows. */
export const scopeOf = ({ orgId, projectId, environment }: Scope): Scope => ({ orgId, projectId, environment });
