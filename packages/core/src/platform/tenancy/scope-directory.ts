// All scopes. A scope never changes and is never deleted, so a cached one stays valid; the bound only limits memory.
// Every scope and project of this process is created here, which detects forged ones.

import type { Storage } from '../../database/storage.ts';
import { lru } from '../../foundation/lru.ts';
import type { ProjectNames, ProjectScope, Scope, ScopeDirectory, ScopeNames } from '../../foundation/scope.ts';
import { isOfOperators, OPERATOR_SCOPE } from './operator-scope.ts';
import type { TenancyStatements } from './statements.ts';

/** Maximum cached scopes. Chosen: some hundred bytes each. */
const MAX_SCOPES = 100_000;

export type Scopes = ScopeDirectory & {
  /** Null if there is none. Throws errors of the database. */
  find(names: ScopeNames): Promise<Scope | null>;
  findProject(names: ProjectNames): Promise<ProjectScope | null>;
  /** Scopes of all projects of an organization, oldest first; none for an unknown organization. */
  ofOrg(org: Pick<ScopeNames, 'orgId' | 'environment'>): Promise<readonly Scope[]>;
  /** The cached scope of a number. */
  known(scopeId: number): Scope | undefined;
  /** True for objects created by this directory. */
  isOurs(value: unknown): boolean;
};

const projectName = ({ orgId, projectId }: ProjectNames): string => JSON.stringify([orgId, projectId]);
const scopeName = ({ orgId, projectId, environment }: ScopeNames): string =>
  JSON.stringify([orgId, projectId, environment]);

/** The scopes of a database. */
export const scopeDirectory = ({
  storage,
  hot,
}: {
  readonly storage: Pick<Storage, 'select'>;
  readonly hot: Pick<TenancyStatements, 'scopesById' | 'scopesOfOrg' | 'scopeByName' | 'projectByName'>;
}): Scopes => {
  const created = new WeakSet<object>();
  const byId = lru<number, Scope>(MAX_SCOPES);
  const byName = lru<string, Scope>(MAX_SCOPES);
  const projects = lru<string, ProjectScope>(MAX_SCOPES);

  const createScope = <Made extends ProjectScope>(names: Omit<Made, keyof ProjectScope> & ProjectRow): Made => {
    // Safe: the mark exists on the type only, for objects created here.
    const scope = Object.freeze(names) as unknown as Made;
    created.add(scope);
    return scope;
  };
  type ProjectRow = ProjectNames & { readonly projectKey: number };

  const cacheScope = ({
    id,
    projectKey,
    orgId,
    projectId,
    environment,
  }: ProjectRow & ScopeNames & { id: number }): Scope => {
    const known = byId.get(id);
    if (known) return known;
    const scope = createScope<Scope>({ scopeId: id, projectKey, orgId, projectId, environment });
    byId.set(id, scope);
    byName.set(scopeName(scope), scope);
    return scope;
  };

  return {
    load: async (scopeIds) => {
      const found = new Map<number, Scope>();
      const missing: number[] = [];
      for (const id of new Set(scopeIds)) {
        const known = byId.get(id);
        if (known) found.set(id, known);
        else if (isOfOperators({ scopeId: id })) found.set(id, OPERATOR_SCOPE);
        else missing.push(id);
      }
      const rows = await storage.select(
        hot.scopesById,
        missing.map((id) => [id]),
      );
      for (const row of rows) found.set(row.id, cacheScope(row));
      return (scopeId) => {
        const scope = found.get(scopeId);
        if (!scope) throw new Error(`no scope has the number ${scopeId}`);
        return scope;
      };
    },
    find: async (names) => {
      const known = byName.get(scopeName(names));
      if (known) return known;
      const [row] = await storage.select(hot.scopeByName, [[names.orgId, names.projectId, names.environment]]);
      return row ? cacheScope(row) : null;
    },
    findProject: async (names) => {
      const known = projects.get(projectName(names));
      if (known) return known;
      const [row] = await storage.select(hot.projectByName, [[names.orgId, names.projectId]]);
      if (!row) return null;
      const project = createScope<ProjectScope>({
        projectKey: row.projectKey,
        orgId: row.orgId,
        projectId: row.projectId,
      });
      projects.set(projectName(project), project);
      return project;
    },
    ofOrg: async ({ orgId, environment }) => {
      const rows = await storage.select(hot.scopesOfOrg, [[orgId, environment]]);
      return rows.map(cacheScope).sort((a, b) => a.scopeId - b.scopeId);
    },
    known: (scopeId) => byId.get(scopeId),
    isOurs: (value) => typeof value === 'object' && value !== null && created.has(value),
  };
};
