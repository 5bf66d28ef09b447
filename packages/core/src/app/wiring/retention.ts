// What is kept for as long as the plan of its org says. Runs are among it, since the figures of workflows are counted from
// them and analytics go back as far as the plan. What has a time of its own is with its engine: deliveries of webhooks 30 days,
// requests that named themselves 24 hours, message ids 72 hours. Queued work other than these ends with its row.

import { runExpiry } from '../../automation/runs/erase.ts';
import type { Storage } from '../../database/storage.ts';
import type { Upkeep } from '../../jobs/maintenance.ts';
import { sendingExpiry } from '../../messaging/sends/erase/expire.ts';
import { eventExpiry } from '../../people/events/expiry/store.ts';
import { type RetentionDeps, retention } from '../../platform/plans/retention.ts';
import type { Tables } from '../tables.ts';

export const retentionOf = ({
  storage,
  tables,
  ...deps
}: Omit<RetentionDeps, 'list'> & { readonly storage: Storage; readonly tables: Tables }): Upkeep => {
  const sending = sendingExpiry({ storage, tables });
  return retention({
    ...deps,
    list: [
      { name: 'events', expire: eventExpiry({ storage, tables }) },
      { name: 'messages', expire: sending.messages },
      // Behind their messages, and before the runs that they are of.
      { name: 'sends', expire: sending.sends },
      { name: 'runs', expire: runExpiry({ storage, tables }) },
    ],
  });
};
