/*
 * Serves a new database as `beckon serve` does, including the workers: `DB`. It prints its URL and a secret key of each
 * of two organizations, and stops when its input ends.
 */
import { createBeckon, newMasterKey } from '@beckon/core';
import { createHandler, listen, watchLoad } from '../../src/index.ts';

const [db = ''] = process.argv.slice(2);
// High limits, because the test is about overload: more calls pass than can be served.
const limits = { ingestPerSecond: 1_000_000, ingestBurst: 1_000_000, callsPerMinute: 1_000_000 };
const beckon = await createBeckon({ db, masterKey: newMasterKey(), limits });
beckon.worker.start();

const keyOf = async (name: string): Promise<string> => {
  const { id: orgId } = await beckon.tenancy.createOrg({ name });
  const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'App' });
  const grants = [{ orgId, projectId }];
  return (await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants })).secret;
};
const keys = [await keyOf('Flood'), await keyOf('Calm')];
const watch = watchLoad(beckon);
const server = await listen(createHandler(beckon, { load: watch.now }), { port: 0 });
console.log(JSON.stringify({ url: server.url, keys }));

process.stdin.resume().once('end', () => {
  const stop = async (): Promise<void> => {
    watch.stop();
    await server.close(1_000);
    await beckon.close();
  };
  stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
