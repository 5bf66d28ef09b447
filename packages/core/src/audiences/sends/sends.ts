import type { SendAudiences } from '../../sending/audience.ts';
import type { Storage } from '../../storage/storage.ts';
import { audienceStore } from '../store.ts';
import type { AudienceTables } from '../tables.ts';
import { membersText } from './hot.ts';

/** Audiences as sends ask for them. */
export const audiencesForSends = ({
  storage,
  tables,
}: {
  readonly storage: Pick<Storage, 'db' | 'dialect'>;
  readonly tables: AudienceTables;
}): SendAudiences => {
  const store = audienceStore({ db: storage.db, dialect: storage.dialect, tables });
  return {
    find: async (scope, audienceId) => {
      const row = await store.get(scope, audienceId);
      return row ? { members: await store.memberCount(scope, audienceId) } : null;
    },
    isReady: async (scope, audienceId) => (await store.get(scope, audienceId))?.stage !== 'build',
    page: async (scope, audienceId, after, limit) => {
      const rows = await store.members(scope, audienceId, { person: null, after: after ?? undefined, limit });
      return rows.map(({ person }) => person);
    },
    text: membersText(tables),
  };
};
