import { randomBytes as systemRandomBytes } from 'node:crypto';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { notFound } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import type { Ids } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { idOf, listPage } from '../../foundation/page.ts';
import { parse } from '../../foundation/parse.ts';
import type { ProjectNames, Scope } from '../../foundation/scope.ts';
import { newSigningSecret } from '../../foundation/signing-secret.ts';
import { ALL_PROJECTS, covers, type RequestedScope, resolveScope } from './access.ts';
import type { ApiKey, Grant } from './answers.generated.ts';
import type { OrgReference, Principal, ProjectReference, TenancyApi } from './api.ts';
import { authenticator } from './authenticate.ts';
import { generateKey, hashKey, lastFour } from './key-format.ts';
import type { Keyring } from './keyring.ts';
import { lastUsed } from './last-used.ts';
import { checkNewKey } from './new-key.ts';
import { keyKind, newOrg, newProject, UNLIMITED } from './schema.ts';
import { type Scopes, scopeDirectory } from './scope-directory.ts';
import { placeOf } from './sealed.ts';
import { signingName } from './secrets/signing.ts';
import { tenancyStatements } from './statements.ts';
import { tenancyStore } from './store.ts';
import type { TenancyTables } from './tables.ts';
import { ensureTenant } from './tenant.ts';

/** Maximum cached key look-ups. Source: performance rules (a bounded cache). Chosen: the number. */
const MAX_CACHED_KEYS = 10_000;

export type TenancyDeps = {
  readonly storage: Storage;
  readonly tables: TenancyTables;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Pick<Keyring, 'seal' | 'openText'>;
  readonly log?: Log | undefined;
  readonly randomBytes?: ((size: number) => Uint8Array) | undefined;
  /** Cached key look-ups; default 10,000. */
  readonly maxCachedKeys?: number | undefined;
};

/** Functions for the rest of the program, in addition to the public ones. */
export type Tenancy = TenancyApi & {
  /** True if several organizations share this deployment. */
  hasSeveralOrgs(): Promise<boolean>;
  isOrg(orgId: string): Promise<boolean>;
  /** Gets or creates the tenant of a program. Throws as `ensureTenant`. */
  ensureTenant(org: OrgReference, project: ProjectReference): Promise<ProjectNames>;
  /** Names of plans by existing organization. */
  planNames(orgIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns whether the organization exists. The caller (`plans/`) checks that the plan exists. */
  setPlan(orgId: string, plan: string): Promise<boolean>;
  /** The scope of a request. Throws as `resolveScope`, and NOT_FOUND for an unknown project. */
  scopeFor(principal: Principal, requested: RequestedScope): Promise<Scope>;
  /**
   * The environment of a project id alone, for documents that are public. Null unless exactly one project has the id: ids
   * that programs choose may repeat in other organizations.
   */
  environmentOf(names: Pick<Scope, 'projectId' | 'environment'>): Promise<Scope | null>;
  /** The scopes of rows. */
  readonly scopes: Scopes;
  /** The numbers of all scopes, for callers that know a row's id but not its scope. */
  scopeIdsOfAll(): Promise<readonly number[]>;
  /** The secret (`whsec_...`) that signs webhook steps of the project. Throws NOT_FOUND. */
  signingSecret(project: ProjectNames): Promise<string>;
  /** Resolves when the uses recorded so far are written. Throws nothing. */
  flush(): Promise<void>;
  /** As `flush`, and stops listening to other processes. Call it before the storage is closed. Throws nothing. */
  close(): Promise<void>;
};

type KeyRow = NonNullable<Awaited<ReturnType<ReturnType<typeof tenancyStore>['keyById']>>>;

const apiKeyOf = ({ hash, ...row }: KeyRow, grants: readonly Grant[]): ApiKey => ({
  ...row,
  kind: keyKind.parse(row.kind),
  grants: grants.map(({ orgId, projectId }) => ({ orgId, projectId })),
});

/** Organizations, projects, and their API keys. */
export const tenancyEngine = ({
  storage,
  tables,
  clock,
  ids,
  secrets,
  log,
  randomBytes = systemRandomBytes,
  maxCachedKeys = MAX_CACHED_KEYS,
}: TenancyDeps): Tenancy => {
  const store = tenancyStore({ db: storage.db, tables });
  const hot = tenancyStatements(tables);
  const uses = lastUsed({ storage, hot, clock, log, maxKeys: maxCachedKeys });
  const keys = authenticator({ storage, hot, clock, uses, maxKeys: maxCachedKeys });
  // Valid as long as projects are never deleted; a delete would have to clear it.
  const scopes = scopeDirectory({ storage, hot });

  const requireGranted = async (grants: readonly Grant[]): Promise<void> => {
    const orgs = await store.knownOrgs(grants.map((grant) => grant.orgId));
    const projects = await store.knownProjects(grants.map((grant) => grant.projectId));
    const isKnown = ({ orgId, projectId }: Grant): boolean =>
      projectId === ALL_PROJECTS
        ? orgs.has(orgId)
        : projects.some((project) => project.orgId === orgId && project.projectId === projectId);
    if (!grants.every(isKnown)) throw notFound('org or project with the id that a grant names');
  };

  /** Writes a project with its scopes and its signing secret, unless a project with its id exists. */
  const addProject = async (project: ProjectNames & { readonly name: string; readonly createdAt: Date }) => {
    const secret = signingName(project);
    const sealed = await secrets.seal(placeOf(secret), newSigningSecret(randomBytes));
    await storage.transaction(async (db) => {
      const inside = tenancyStore({ db, tables });
      if (await inside.addProject(project)) await inside.addSecret({ ...secret, sealed, updatedAt: project.createdAt });
    });
  };

  return {
    createOrg: async (input) => {
      const org = { orgId: ids.next(), name: parse(newOrg, input).name, plan: UNLIMITED, createdAt: clock.now() };
      await store.addOrg(org);
      const { orgId: id, ...rest } = org;
      return { id, ...rest };
    },
    listOrgs: (query = {}) =>
      listPage(query, {
        binding: 'orgs',
        read: async (start) => (await store.orgs(start)).map(({ orgId, ...org }) => ({ id: orgId, ...org })),
        positionOf: idOf,
      }),

    hasSeveralOrgs: store.hasSeveralOrgs,
    isOrg: async (orgId) => (await store.knownOrgs([orgId])).has(orgId),
    planNames: store.planNames,
    setPlan: store.setPlan,

    createProject: async (input) => {
      const { orgId, name } = parse(newProject, input);
      if (!(await store.knownOrgs([orgId])).has(orgId)) throw notFound('org with this id');
      const project = { orgId, projectId: ids.next(), name, createdAt: clock.now() };
      await addProject(project);
      return { id: project.projectId, orgId, name, createdAt: project.createdAt };
    },
    ensureTenant: (org, project) =>
      ensureTenant(
        {
          orgs: store.orgsLike,
          projects: store.projectsLike,
          addOrg: (row) => store.addOrg({ ...row, plan: UNLIMITED, createdAt: clock.now() }),
          addProject: (row) => addProject({ ...row, createdAt: clock.now() }),
        },
        org,
        project,
      ),
    listProjects: ({ orgId, ...query } = {}) =>
      listPage(query, {
        binding: stableJson(['projects', orgId ?? null]),
        read: async (start) =>
          (await store.projects(orgId, start)).map(({ projectId, projectKey: _, ...project }) => ({
            id: projectId,
            ...project,
          })),
        positionOf: idOf,
      }),
    signingSecret: async (project) => {
      const name = signingName(project);
      const sealed = await store.sealedSecret(name);
      if (sealed === undefined) throw notFound('project with this id in this org');
      return secrets.openText(placeOf(name), sealed);
    },

    createKey: async (input) => {
      const createdAt = clock.now();
      const { grants, scopes, ...checked } = checkNewKey(input, createdAt);
      await requireGranted(grants);
      const secret = generateKey(checked.kind, checked.environment, randomBytes);
      const row = {
        ...checked,
        id: ids.next(),
        hash: hashKey(secret),
        lastFour: lastFour(secret),
        scopes: [...scopes],
        createdAt,
        revokedAt: null,
        lastUsedAt: null,
      };
      await storage.transaction((db) => tenancyStore({ db, tables }).addKey(row, grants));
      return { key: apiKeyOf(row, grants), secret };
    },
    listKeys: ({ orgId, reader, ...query } = {}) =>
      listPage(query, {
        binding: stableJson(['keys', orgId ?? null, reader?.environment ?? null]),
        read: async (start) => {
          const rows = await store.keys({ orgId, reader }, start);
          // A reader of one organization sees only its grants of a key over several.
          const grants = await store.grants(
            rows.map(({ id }) => id),
            orgId,
          );
          const visible = reader === undefined ? grants : grants.filter((grant) => covers(reader.grants, grant));
          const byKey = Map.groupBy(visible, ({ keyId }) => keyId);
          return rows.map((row) => apiKeyOf(row, byKey.get(row.id) ?? []));
        },
        positionOf: idOf,
      }),
    revokeKey: async (id) => {
      await keys.change(() => store.revokeKey(id, clock.now()));
      const row = await store.keyById(id);
      if (!row) throw notFound('API key with this id');
      return apiKeyOf(row, await store.grants([id]));
    },

    authenticate: keys.authenticate,
    scopeFor: async (principal, requested) => {
      const scope = await scopes.find(resolveScope(principal, requested));
      if (!scope) throw notFound();
      return scope;
    },
    scope: async (names) => {
      const scope = await scopes.find(names);
      if (!scope) throw notFound('project with this id in this org');
      return scope;
    },
    project: async (names) => {
      const project = await scopes.findProject(names);
      if (!project) throw notFound('project with this id in this org');
      return project;
    },
    environmentOf: async ({ projectId, environment }) => {
      const [project, other] = await store.knownProjects([projectId]);
      return project && !other ? scopes.find({ ...project, environment }) : null;
    },
    scopes,
    scopeIdsOfAll: store.scopeIdsOfAll,
    flush: uses.flush,
    close: async () => {
      keys.close();
      await uses.flush();
    },
  };
};
