// Groups of users: lists that somebody keeps, and those that follow from what is known of people. Who is in one is a row,
// so that a count or a send to all of them is a read.

import type { AudiencesApi } from '../api.ts';
import { type Eraser, sliced } from '../erasure/eraser.ts';
import type { Storage } from '../storage/storage.ts';
import { audienceHot } from './hot.ts';
import { audienceMembers } from './members.ts';
import { audienceRecords, type RecordDeps } from './records.ts';
import { audienceStore } from './store.ts';

export type AudienceDeps = Omit<RecordDeps, 'changed'> & { readonly storage: Storage };

export const audiencesEngine = ({ storage, tables, clock, ...deps }: AudienceDeps) => {
  const hot = audienceHot(tables);
  const store = audienceStore({ db: storage.db, dialect: storage.dialect, tables });
  const api: AudiencesApi = {
    ...audienceRecords({ storage, tables, clock, ...deps, changed: () => undefined }),
    ...audienceMembers({ storage, tables, hot, clock, follow: async () => ({ writes: [] }) }),
  };
  return {
    api,
    eraser: sliced('audiences', ({ scope, people }) => store.erase(scope, people)) satisfies Eraser,
  };
};
