import { expect, it } from 'vitest';
import { counter, tagged } from '../../../test/support/database/contract-database.ts';
import { onServer, openSample, postgresPlace } from '../../../test/support/database/open-sample.ts';

it('every commit on PostgreSQL waits for the disk, except those that may be lost', async () => {
  const place = await postgresPlace();
  const { storage, hot, close } = await openSample(place.url);
  await onServer(
    `create function noted() returns trigger language plpgsql as $$
       begin new.label := current_setting('synchronous_commit'); return new; end $$;
     create trigger noted before insert on counters for each row execute function noted()`,
    place.url,
  );
  const labelOf = async (id: string, mayBeLost: boolean): Promise<unknown> => {
    await storage.commit({ writes: [tagged(hot.insertOnce, counter(id))], mayBeLost });
    return (await storage.select(hot.readCounters, [[id]]))[0]?.label;
  };
  expect([await labelOf('a', false), await labelOf('b', true), await labelOf('c', false)]).toEqual(['on', 'off', 'on']);
  await close();
  await place.remove();
});
