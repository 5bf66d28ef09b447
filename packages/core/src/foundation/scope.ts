/** `prod` sends to users; `test` stores messages in the outbox and never leaves the machine. */
export type Environment = 'prod' | 'test';

export const ENVIRONMENTS = ['prod', 'test'] as const satisfies readonly Environment[];

/** Public identifiers of a scope. */
export type ScopeNames = { readonly orgId: string; readonly projectId: string; readonly environment: Environment };
export type ProjectNames = Omit<ScopeNames, 'environment'>;

/** Exists on the type only, so that tenancy alone can create scopes. */
declare const createdByTenancy: unique symbol;

/**
 * A project: definitions such as workflows belong to it and serve both environments. Created by tenancy; rows store its
 * `projectKey`.
 */
export type ProjectScope = {
  readonly projectKey: number;
  readonly orgId: string;
  readonly projectId: string;
  readonly [createdByTenancy]: true;
};

/**
 * An environment of a project: reads and writes of its rows require a Scope. Created by tenancy, so a Scope always
 * belongs to an existing project; rows store its `scopeId`.
 */
export type Scope = ProjectScope & { readonly scopeId: number; readonly environment: Environment };

/** Common part of rows and scopes, which links them. */
export type InScope = { readonly scopeId: number };
/** As InScope, for definitions, which belong to a project. */
export type InProject = { readonly projectKey: number };

/** Returns a loaded scope; throws for a number that was not requested. */
export type ScopeLookup = (scopeId: number) => Scope;

/** Loads the scopes of rows. A scope never changes, so each is read once. */
export type ScopeDirectory = {
  /** Throws for an unknown number, and errors of the database. */
  load(scopeIds: Iterable<number>): Promise<ScopeLookup>;
};

/** Map key of a scope. */
export const scopeKey = ({ scopeId }: InScope): number => scopeId;

/** The scope column of a row. */
export const scopeOf = ({ scopeId }: InScope): InScope => ({ scopeId });
