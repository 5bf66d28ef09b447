import { createBeckon, newMasterKey } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { deploy, type Engine, killNine } from '../kill/deployment.ts';

const ENGINES = ['sqlite', 'postgres'] as const satisfies readonly Engine[];
/** Projects with a data key, a signing secret and credentials each: some hundred commits between which kills happen. */
const ORGS = 150;
/** Kills happen after the first progress line, so that each run starts from another state. */
const DEATHS = 3;

const smtp = { host: 'relay.example.com', port: 587, user: 'mailer', password: 'hunter2', from: 'shop@acme.test' };

describe('kill -9 of a rotation of the master key', () => {
  it.for(ENGINES)(
    'kill -9 of a master key rotation loses nothing, and a repeated run completes it, on %s',
    async (engine) => {
      const deployment = await deploy(engine, []);
      const next = newMasterKey();
      const { url, masterKey: old } = deployment;
      const open = (masterKey: string) => createBeckon({ db: url, masterKey });
      const args = ['secrets', 'rotate-master'];
      const both = { BECKON_MASTER_KEY: `${next},${old}` };
      try {
        const beckon = await open(old);
        const { tenancy, settings } = beckon;
        for (let at = 0; at < ORGS; at += 1) {
          const { id: orgId } = await tenancy.createOrg({ name: `Org ${at}` });
          const { id: projectId } = await tenancy.createProject({ orgId, name: 'App' });
          await settings.update(await tenancy.scope({ orgId, projectId, environment: 'prod' }), 'email', { smtp });
        }
        await beckon.close();

        const wrappedBy = async () => {
          const rows = await deployment.query<{ wrapped: string }>('select wrapped from data_keys');
          return new Set(rows.map(({ wrapped }) => wrapped.split('.')[1]));
        };
        const deaths: (number | null)[] = [];
        for (let death = 1; death <= DEATHS; death += 1) {
          const running = deployment.start(args, both);
          const reached = Promise.withResolvers<void>();
          running.child.stderr.on('data', () => reached.resolve());
          // A later run has less work and may end before its first progress line.
          await Promise.race([reached.promise, running.ended]);
          await killNine(running);
          deaths.push((await running.ended).code);
          const alive = await open(`${next},${old}`);
          expect((await alive.health()).ready).toBe(true);
          await alive.close();
        }
        // The run was killed, it had not finished.
        expect(deaths[0]).toBeNull();
        const last = await deployment.start(args, both).ended;
        expect(last).toMatchObject({ code: 0 });
        expect(last.out).toContain('Remove the other master keys');
        expect((await wrappedBy()).size).toBe(1);

        const alone = await open(next);
        const rotated = await alone.secrets.rotateMasterKey();
        // Checking decrypts every value, so none is unreadable.
        expect(rotated).toEqual({ dataKeys: 0, values: 0, unreadable: 0, left: 0 });
        await alone.close();
        await expect(open(old)).rejects.toMatchObject({ name: 'WrongMasterKey' });
        console.log(
          `kill rotation ${engine}: exit codes ${deaths.map((code) => code ?? 'killed').join(', ')}, ${ORGS} orgs`,
        );
        expect(await deployment.damage()).toEqual([]);
      } finally {
        await deployment.remove();
      }
    },
  );
});
