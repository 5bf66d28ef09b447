/*
 * What several processes do to one database: `commit URL COUNT NAME` or `migrate URL`. One line of JSON says what
 * came of it.
 */
import { openDatabase } from '../open.ts';
import { commit, counter, tagged } from './given.ts';
import { openSample } from './open-sample.ts';

const [task = '', url = '', count = '0', name = ''] = process.argv.slice(2);

const commits = async (): Promise<unknown> => {
  const { storage, hot, close } = await openSample(url);
  for (let at = 0; at < Number(count); at += 1)
    await commit(
      storage,
      tagged(hot.insertCounter, counter(`${name} ${at}`)),
      tagged(hot.add, { id: 'shared', value: 1 }),
    );
  await close();
  return { committed: Number(count) };
};

const migration = async (): Promise<unknown> => {
  const database = await openDatabase({ url });
  const applied = await database.migrate();
  await database.storage.close();
  return { applied };
};

console.log(JSON.stringify(await (task === 'migrate' ? migration() : commits())));
