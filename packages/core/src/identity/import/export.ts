import { z } from 'zod';
import type { AccountRow } from '../accounts/account.ts';
import type { AuthContext } from '../flow/context.ts';
import { parseBody } from '../flow/input.ts';
import { recordAction } from '../flow/record.ts';
import type { PortableUser, UsersImportApi } from './api.ts';
import { MAX_USERS } from './bodies.ts';
import type { ExportContributor } from './contributor.ts';

const exportQuery = z.strictObject({
  after: z.uuid().optional(),
  limit: z.int().min(1).max(MAX_USERS).default(500),
});

const portable = (row: AccountRow, contributed: readonly (readonly [string, unknown])[]): PortableUser => ({
  id: row.id,
  ...(row.externalId !== null && { externalId: row.externalId }),
  ...(row.email !== null && { email: row.email, emailVerified: row.emailVerifiedAt !== null }),
  ...(row.phone !== null && { phone: row.phone }),
  ...(row.name !== null && { name: row.name }),
  ...(row.locale !== null && { locale: row.locale }),
  ...(row.timezone !== null && { timezone: row.timezone }),
  createdAt: row.createdAt.toISOString(),
  ...(Object.keys(row.metadata).length > 0 && { metadata: row.metadata }),
  ...(row.disabledAt !== null && { disabled: true }),
  ...Object.fromEntries(contributed),
});

/** Users with their hashes and other secrets, for a move to another deployment. No route leads here. */
export const userExport =
  (context: AuthContext, contributors: readonly ExportContributor[]): UsersImportApi['export'] =>
  async (scope, { actor = 'system', ...query } = {}) => {
    const { after, limit } = parseBody(exportQuery, query);
    const rows = await context.accounts.afterId(scope, after ?? null, limit);
    const ids = rows.map(({ id }) => id);
    const fields: (readonly [string, ReadonlyMap<string, unknown>])[] = [];
    for (const { field, load } of contributors) if (ids.length > 0) fields.push([field, await load(scope, ids)]);
    if (after === undefined)
      await recordAction(context, scope, { actor, action: 'users.export', target: null, result: 'ok' });
    const users = rows.map((row) =>
      portable(
        row,
        fields.flatMap(([field, values]) => (values.has(row.id) ? [[field, values.get(row.id)] as const] : [])),
      ),
    );
    return { users, next: rows.length === limit ? (ids.at(-1) ?? null) : null };
  };
