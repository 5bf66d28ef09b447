// Groups of a SCIM directory with their members. They change nothing of the members' profiles; access tokens may list them.

import type { Write } from '../../database/commit/write-set.ts';
import { actorOf, type Directory, type ScimContext } from './context.ts';
import { checkDocument, elementsOf, newObject, readDocument, type ScimObject } from './documents.ts';
import { foldText } from './filter/compare.ts';
import type { ScimCondition } from './filter/condition.ts';
import { type PatchOperation, patchDocument, readOperations } from './patch.ts';
import { checkIfMatch, type ScimPage } from './responses.ts';
import type { ScimGroupRow } from './rows.ts';
import { GROUP_RESOURCE } from './schemas.ts';
import type { ScimGroupValues } from './scim.ts';
import { quoted, refused } from './scim-error.ts';
import { noResource } from './users.ts';

/** Characters of a name, which is indexed. Chosen: above any identity provider's. */
const MAX_NAME = 512;

const checked = (document: ScimObject): ScimObject => {
  checkDocument(GROUP_RESOURCE, document);
  for (const name of ['displayName', 'externalId'] as const) {
    const value = document[name];
    if (typeof value === 'string' && value.length > MAX_NAME) {
      throw refused('invalidValue', `${name} has more than ${MAX_NAME} characters`);
    }
  }
  return document;
};

const valuesOf = ({ displayName, externalId }: ScimObject): ScimGroupValues => ({
  displayName: typeof displayName === 'string' ? displayName : '',
  displayNameNorm: foldText(typeof displayName === 'string' ? displayName : ''),
  externalId: typeof externalId === 'string' ? externalId : null,
});

const idsOf = ({ members }: ScimObject): readonly string[] => [
  ...new Set(
    elementsOf(members).map(({ value }) => {
      if (typeof value !== 'string') throw refused('invalidValue', 'A member has no value');
      return value;
    }),
  ),
];

/** The attributes of a stored group, without its members. */
export const groupDocument = ({ displayName, externalId }: ScimGroupRow): ScimObject => ({
  displayName,
  ...(externalId !== null && { externalId }),
});

const withMembers = (row: ScimGroupRow, memberIds: readonly string[]): ScimObject => {
  const members = memberIds.map((id) => Object.assign(newObject(), { value: id }));
  return Object.assign(newObject(), groupDocument(row), members.length > 0 && { members });
};

const isName = (path: string | null): boolean => path !== null && /^(?:displayName|externalId)$/i.test(path);
const MEMBER_PATH = /^members\[\s*value\s+eq\s+"([^"\\]+)"\s*\]$/i;

/**
 * The members that operations name; null if they may concern others as well. A change of some members then reads and
 * writes those alone: identity providers add the members of a large group one by one.
 */
export const membersNamedBy = (operations: readonly PatchOperation[]): readonly string[] | null => {
  const ids: string[] = [];
  for (const { op, path, value } of operations) {
    if (isName(path)) continue;
    const single = op === 'remove' ? MEMBER_PATH.exec(path ?? '')?.[1] : undefined;
    if (single !== undefined) {
      ids.push(single);
      continue;
    }
    if (op === 'replace' || path?.toLowerCase() !== 'members' || !Array.isArray(value) || value.length === 0)
      return null;
    for (const member of value as readonly unknown[]) {
      const id = typeof member === 'object' && member !== null ? Reflect.get(member, 'value') : member;
      if (typeof id !== 'string') return null;
      ids.push(id);
    }
  }
  return [...new Set(ids)];
};

export const scimGroups = ({ context, scim }: ScimContext) => {
  const recorded = (directory: Directory, action: string, target: string, now: Date): Write =>
    context.audit.record(directory.scope, { actor: actorOf(directory), action, target, result: 'ok' }, now);

  const requireUsers = async (directory: Directory, ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return;
    const existing = await scim.existingUsers(directory, ids);
    const missing = ids.find((id) => !existing.has(id));
    if (missing !== undefined)
      throw refused('invalidValue', `The directory has no user with the id ${quoted(missing)}`);
  };

  const get = async (directory: Directory, id: string): Promise<ScimGroupRow> => {
    const row = await scim.groupById(directory, id);
    if (row === null) throw noResource();
    return row;
  };

  /** `named`: the members that the change concerns; null: all. */
  const update = (
    directory: Directory,
    id: string,
    ifMatch: string | null,
    named: readonly string[] | null,
    change: (before: ScimObject) => ScimObject,
  ): Promise<ScimGroupRow> =>
    context.commit(directory.scope, async (now) => {
      const row = await get(directory, id);
      checkIfMatch(ifMatch, row.version);
      const before = named === null ? await scim.memberIdsOf(row) : await scim.memberIdsAmong(row, named);
      const document = checked(change(withMembers(row, before)));
      const after = idsOf(document);
      const values = valuesOf(document);
      const [had, has] = [new Set(before), new Set(after)];
      const added = after.filter((member) => !had.has(member));
      const removed = before.filter((member) => !has.has(member));
      const isRenamed = values.displayName !== row.displayName || values.externalId !== row.externalId;
      if (added.length + removed.length === 0 && !isRenamed) return { change: {}, result: row };
      await requireUsers(directory, added);
      const next = scim.changeGroup(row, values, now);
      const writes = [
        next.write,
        ...removed.map((member) => scim.removeMember(row, member)),
        ...added.map((member) => scim.addMember(row, member)),
        recorded(directory, 'scim.group.update', id, now),
      ];
      return { change: { writes }, result: next.row };
    });

  return {
    get,
    create: async (directory: Directory, body: unknown): Promise<ScimGroupRow> => {
      const document = checked(readDocument(GROUP_RESOURCE, body));
      const members = idsOf(document);
      const { scope, directoryId } = directory;
      return context.commit(scope, async (now) => {
        await requireUsers(directory, members);
        const row = scim.draftGroup(scope, directoryId, valuesOf(document), now);
        const writes = [
          scim.insertGroup(row),
          ...members.map((member) => scim.addMember(row, member)),
          recorded(directory, 'scim.group.create', row.id, now),
        ];
        return { change: { writes }, result: row };
      });
    },
    replace: (directory: Directory, id: string, ifMatch: string | null, body: unknown): Promise<ScimGroupRow> => {
      const document = readDocument(GROUP_RESOURCE, body);
      return update(directory, id, ifMatch, null, () => document);
    },
    patch: (directory: Directory, id: string, ifMatch: string | null, body: unknown): Promise<ScimGroupRow> => {
      const operations = readOperations(body);
      return update(directory, id, ifMatch, membersNamedBy(operations), (before) =>
        patchDocument(GROUP_RESOURCE, before, operations, id),
      );
    },
    remove: async (directory: Directory, id: string, ifMatch: string | null): Promise<void> => {
      await context.commit(directory.scope, async (now) => {
        const row = await get(directory, id);
        checkIfMatch(ifMatch, row.version);
        const writes = [...scim.removeGroup(row), recorded(directory, 'scim.group.delete', id, now)];
        return { change: { writes }, result: null };
      });
    },
    list: async (directory: Directory, condition: ScimCondition | null, page: ScimPage) => ({
      total: await scim.countGroups(directory, condition),
      rows: page.count === 0 ? [] : await scim.listGroups(directory, condition, page),
    }),
  };
};

export type ScimGroups = ReturnType<typeof scimGroups>;
