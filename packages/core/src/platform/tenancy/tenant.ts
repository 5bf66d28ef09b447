// Gets or creates the one tenant of a program. Names are not unique, so what is created here has an id that is derived
// from its name: two processes at once make the same row, and the second insert does nothing.

import { derivedId } from '../../foundation/derived-id.ts';
import { BeckonError, notFound } from '../../foundation/errors.ts';
import type { ProjectNames } from '../../foundation/scope.ts';
import type { OrgReference, ProjectReference } from './api.ts';

/** Derived ids hold no time: the same name gives the same id in every process. */
const NO_TIME = new Date(0);

type Named = { readonly id: string; readonly name: string };

type Needs = {
  /** Organizations with this id or this name, that of the id first; and projects of one organization. */
  readonly orgs: (either: EitherOf) => Promise<readonly Named[]>;
  readonly projects: (orgId: string, either: EitherOf) => Promise<readonly Named[]>;
  /** Each inserts its row unless the id exists. */
  readonly addOrg: (org: { readonly orgId: string; readonly name: string }) => Promise<void>;
  readonly addProject: (project: ProjectNames & { readonly name: string }) => Promise<void>;
};
type EitherOf = { readonly id: string; readonly name: string | null };

/** The id of the row that the program refers to; null: there is none of this name. Throws NOT_FOUND, CONFLICT `exists`. */
const idIn = (
  rows: readonly Named[],
  kind: 'organization' | 'project',
  reference: OrgReference | ProjectReference,
  ownId: string,
): string | null => {
  if (rows.some(({ id }) => id === ownId)) return ownId;
  if ('id' in reference) throw notFound(`${kind} with the id "${reference.id}"`);
  const [first, second] = rows;
  if (second === undefined) return first?.id ?? null;
  const ids = rows.map(({ id }) => id);
  const message = `Several ${kind}s have the name "${reference.name}". Pass the id of one of them: ${ids.join(', ')}.`;
  throw new BeckonError('CONFLICT', message, { details: { reason: 'exists', ids } });
};

const ownIdOf = (reference: OrgReference | ProjectReference, subject: string): string =>
  'id' in reference ? reference.id : derivedId(NO_TIME, `${subject}/${reference.name}`);
const nameOf = (reference: OrgReference | ProjectReference): string | null =>
  'id' in reference ? null : reference.name;

/**
 * Finds an organization and a project by name or id, and creates what a name does not find. The same call in several
 * processes gives the same project.
 *
 * @throws NOT_FOUND for an id that does not exist, CONFLICT `exists` for a name that several have
 */
export const ensureTenant = async (
  { orgs, projects, addOrg, addProject }: Needs,
  org: OrgReference,
  project: ProjectReference,
): Promise<ProjectNames> => {
  const ownOrgId = ownIdOf(org, 'org');
  const foundOrg = idIn(await orgs({ id: ownOrgId, name: nameOf(org) }), 'organization', org, ownOrgId);
  const orgId = foundOrg ?? ownOrgId;
  if (foundOrg === null && 'name' in org) await addOrg({ orgId, name: org.name });
  const ownId = ownIdOf(project, `project/${orgId}`);
  const found = idIn(await projects(orgId, { id: ownId, name: nameOf(project) }), 'project', project, ownId);
  const projectId = found ?? ownId;
  if (found === null && 'name' in project) await addProject({ orgId, projectId, name: project.name });
  return { orgId, projectId };
};
