// Stored templates: named content for repeated sends. A send copies the content at acceptance, so later changes affect
// no accepted send, and earlier versions are not kept.

import type { Db } from '../../database/storage.ts';
import type { Channel } from '../../foundation/channel.ts';
import { conflict, notFound } from '../../foundation/errors.ts';
import { stableJson } from '../../foundation/hash.ts';
import { idOf, listPage, type Page } from '../../foundation/page.ts';
import type { InProject, ProjectScope, Scope } from '../../foundation/scope.ts';
import type { Platform } from '../../platform/platform.ts';
import type { TemplateRow, TemplateWarning } from './answers.generated.ts';
import type {
  PreviewInput,
  TemplateQuery,
  TemplateRecordOf,
  TemplateSavedOf,
  TemplatesApiOf,
  TemplateTypes,
} from './api.ts';
import type { TemplateKinds } from './kind.ts';
import { parsePreview, type RenderPreview } from './preview.ts';
import { parseTemplate, patchTemplate } from './schema.ts';
import { templateStatements } from './statements.ts';
import { type TemplateRow as StoredTemplate, type TemplateListRow, templateStore } from './store.ts';
import type { TemplateTables } from './tables.ts';
import { refKey, type TemplateRef, type Templates, type UseTemplate } from './use.ts';

const rowOf = ({ orgId, projectId }: ProjectScope, row: TemplateListRow): TemplateRow => ({
  id: row.id,
  orgId,
  projectId,
  channel: row.channel,
  name: row.name,
  version: row.version,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

/** The row's channel is C: the store selects by channel. */
const recordOf = <C extends Channel, Fields extends object>(
  scope: ProjectScope,
  _channel: C,
  row: StoredTemplate,
): TemplateRecordOf<C, Fields> =>
  // Safe: a template has the fields that its channel's schema accepted, and no field has the name of a row column.
  ({ ...row.content, ...rowOf(scope, row) }) as unknown as TemplateRecordOf<C, Fields>;

const savedOf = <C extends Channel, Fields extends object>(
  scope: ProjectScope,
  channel: C,
  row: StoredTemplate,
  warnings: readonly TemplateWarning[],
): TemplateSavedOf<C, Fields> => ({ ...recordOf<C, Fields>(scope, channel, row), warnings });

const refuseOther = ({ version }: StoredTemplate, expectedVersion: number | undefined): void => {
  if (expectedVersion !== undefined && expectedVersion !== version) throw conflict('version_changed', { version });
};

/** Templates of all channels. Writers hold the project's lock, so one of two writers of the same name is rejected. */
export const templatesEngine = <T extends TemplateTypes>(
  { storage, tables, clock, ids }: Pick<Platform<TemplateTables>, 'storage' | 'tables' | 'clock' | 'ids'>,
  { kinds, renderPreview }: { readonly kinds: TemplateKinds; readonly renderPreview: RenderPreview<T> },
): Templates & { readonly api: TemplatesApiOf<T> } => {
  const hot = templateStatements(tables);
  const store = (db: Db) => templateStore({ db, dialect: storage.dialect, tables });
  const outside = store(storage.db);

  const alone = <T>(scope: InProject, work: (inside: typeof outside) => Promise<T>): Promise<T> =>
    storage.transaction(async (db) => {
      const inside = store(db);
      await inside.lock(scope);
      return work(inside);
    });

  const existing = async (
    from: typeof outside,
    scope: InProject,
    channel: Channel,
    id: string,
  ): Promise<StoredTemplate> => {
    const row = await from.get(scope, channel, id);
    if (!row) throw notFound(`${channel} template with this id`);
    return row;
  };

  const refuseTwin = async (from: typeof outside, scope: InProject, channel: Channel, name: string): Promise<void> => {
    const [twin] = await from.page(scope, channel, { name }, { after: null, limit: 1 });
    if (twin) throw conflict('exists', { id: twin.id });
  };

  const use: UseTemplate = async ({ projectKey }, channel, id) => {
    const [row] = await storage.select(hot.used, [[projectKey, id]]);
    return row && row.channel === channel ? { id: row.id, version: row.version, content: row.content } : null;
  };

  /** The references, by `refKey`, that the project does not have; one statement. */
  const lacking = async ({ projectKey }: InProject, refs: readonly TemplateRef[]): Promise<ReadonlySet<string>> => {
    const byKey = new Map(refs.map((ref) => [refKey(ref), ref]));
    if (byKey.size === 0) return new Set();
    const expectedVersion = [...new Set(refs.map(({ id }) => id))];
    const rows = await storage.select(
      hot.known,
      expectedVersion.map((id) => [projectKey, id]),
    );
    const found = new Set(rows.map(refKey));
    return new Set([...byKey.keys()].filter((key) => !found.has(key)));
  };

  const list = (
    scope: ProjectScope,
    channel: Channel,
    { name, ...query }: TemplateQuery = {},
  ): Promise<Page<TemplateRow>> =>
    listPage(query, {
      binding: `templates/${scope.projectKey}/${channel}/${stableJson({ name })}`,
      read: async (place) => (await outside.page(scope, channel, { name }, place)).map((row) => rowOf(scope, row)),
      positionOf: idOf,
    });

  const api: TemplatesApiOf<T> = {
    create: async (scope, channel, body) => {
      const { name, content, warnings } = parseTemplate(kinds[channel], body);
      const now = clock.now();
      const { projectKey } = scope;
      const row = { projectKey, id: ids.next(), channel, name, version: 1, content, createdAt: now, updatedAt: now };
      await alone(scope, async (inside) => {
        await refuseTwin(inside, scope, channel, name);
        await inside.insert(row);
      });
      return savedOf(scope, channel, row, warnings);
    },

    list,

    get: async (scope, channel, id) => recordOf(scope, channel, await existing(outside, scope, channel, id)),

    update: async (scope, channel, id, patch, { ifVersion } = {}) => {
      const [row, warnings] = await alone(scope, async (inside) => {
        const current = await existing(inside, scope, channel, id);
        refuseOther(current, ifVersion);
        const next = patchTemplate(kinds[channel], current, patch);
        const { name, content } = next;
        const isSame = name === current.name && stableJson(content) === stableJson(current.content);
        if (isSame) return [current, next.warnings] as const;
        if (name !== current.name) await refuseTwin(inside, scope, channel, name);
        const updated = { ...current, name, content, version: current.version + 1, updatedAt: clock.now() };
        await inside.update(updated);
        return [updated, next.warnings] as const;
      });
      return savedOf(scope, channel, row, warnings);
    },

    delete: async (scope, channel, id, { ifVersion } = {}) =>
      alone(scope, async (inside) => {
        const current = await existing(inside, scope, channel, id);
        refuseOther(current, ifVersion);
        await inside.remove(scope, channel, id);
        return { id: current.id, name: current.name };
      }),

    preview: async <C extends Channel>(scope: Scope, channel: C, id: string, input: PreviewInput = {}) => {
      const byKey = parsePreview(input);
      const template = await existing(outside, scope, channel, id);
      return {
        templateId: template.id,
        version: template.version,
        channel,
        ...(await renderPreview(scope, kinds[channel], template.content, byKey)),
      };
    },
  };
  return { api, use, lacking };
};
