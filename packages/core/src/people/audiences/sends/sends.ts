import type { Storage } from '../../../database/storage.ts';
import type { InScope } from '../../../foundation/scope.ts';
import { audienceStore } from '../store.ts';
import type { AudienceTables } from '../tables.ts';
import { membersText } from './statements.ts';

/** Audiences as sends use them. */
export const audiencesForSends = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db' | 'dialect'>;
  readonly tables: AudienceTables;
}) => {
  const store = audienceStore({ db: storage.db, dialect: storage.dialect, tables });
  return {
    find: async (scope: InScope, audienceId: string) => {
      const row = await store.get(scope, audienceId);
      return row ? { members: await store.memberCount(scope, audienceId) } : null;
    },
    isReady: async (scope: InScope, audienceId: string) => (await store.get(scope, audienceId))?.stage !== 'build',
    page: async (
      scope: InScope,
      audienceId: string,
      after: string | null,
      limit: number,
    ): Promise<readonly string[]> => {
      const rows = await store.members(scope, audienceId, { person: null, after, limit });
      return rows.map(({ person }) => person);
    },
    text: membersText(tables),
  };
};
