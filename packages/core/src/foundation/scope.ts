/** `prod` reaches people; `test` is served by the sandbox and never leaves the machine. */
export type Environment = 'prod' | 'test';

export const ENVIRONMENTS = ['prod', 'test'] as const satisfies readonly Environment[];

/** The names of a scope. */
export type ScopeNames = { readonly orgId: string; readonly projectId: string; readonly environment: Environment };
export type ProjectNames = Omit<ScopeNames, 'environment'>;

/** Only on the type: nobody but tenancy can write a literal that fits. */
declare const handedOut: unique symbol;

/**
 * The tenant's application: definitions such as workflows belong to it and serve both environments. Tenancy hands it
 * out; `projectKey` stands for it in rows.
 */
export type ProjectScope = {
  readonly projectKey: number;
  readonly orgId: string;
  readonly projectId: string;
  readonly [handedOut]: true;
};

/**
 * Whose rows: nothing of an environment is read or written without one. Tenancy hands it out, so that there is none of
 * a project that does not exist; `scopeId` stands for it in rows.
 */
export type Scope = ProjectScope & { readonly scopeId: number; readonly environment: Environment };

/** What rows and scopes have in common: enough to find the one by the other. */
export type InScope = { readonly scopeId: number };
/** The same for definitions, which belong to a project. */
export type InProject = { readonly projectKey: number };

/** Scopes by their numbers; throws for one that was not among the numbers asked for. */
export type ScopeLookup = (scopeId: number) => Scope;

/** The scopes of rows, for whoever has those alone. A scope never changes, so each is read once. */
export type ScopeDirectory = {
  /** Throws for a number that no scope has, and what the database throws. */
  load(scopeIds: Iterable<number>): Promise<ScopeLookup>;
};

/** One value per scope, for maps. */
export const scopeKey = ({ scopeId }: InScope): number => scopeId;

/** The column of a scope and nothing else, for rows. */
export const scopeOf = ({ scopeId }: InScope): InScope => ({ scopeId });
