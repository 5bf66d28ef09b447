import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBeckon, newMasterKey } from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { place } from './beckon.ts';
import { urlOf } from './kill/deployment.ts';

const DISK = 'size=4m';
/** Size of the disk, and of the file that is deleted later. */
const BALLAST_BYTES = 1_500_000;
/** Longer than the delay of an idle checkpoint. */
const IDLE_MS = 1_200;
/** A few hundred bytes more than the 4 MB of the disk. */
const MOST_BATCHES = 400;

const mounted = (folder: string): boolean => {
  try {
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `${DISK},mode=700`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a full disk', () => {
  it('on a full disk the server answers writes with 503, keeps reading, and recovers without a restart', async (context) => {
    const at = place();
    const disk = join(at.cwd, 'disk');
    // skip: mounting a small disk needs a privileged Linux user; storage tests simulate the error elsewhere.
    if (!mounted(disk)) {
      await at.remove();
      return context.skip();
    }
    const ballast = join(disk, 'ballast');
    const masterKey = newMasterKey();
    const db = `sqlite:${join(disk, 'beckon.db')}`;
    try {
      const beckon = await createBeckon({ db, masterKey });
      const { id: orgId } = await beckon.tenancy.createOrg({ name: 'Acme' });
      const { id: projectId } = await beckon.tenancy.createProject({ orgId, name: 'Shop' });
      const grants = [{ orgId, projectId }];
      const { secret } = await beckon.tenancy.createKey({ kind: 'secret', environment: 'test', grants });
      await beckon.close();
      writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES, 1));

      const server = at.start(['serve', '--port', '0', '--db', db], { env: { BECKON_MASTER_KEY: masterKey } });
      const url = `${await urlOf(server)}/api/v1`;
      const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
      let sent = 0;
      const post = async (): Promise<Response> => {
        sent += 1;
        const properties = { text: `${sent} `.repeat(2_000) };
        const event = { module: 'm', eventType: 'm.e', userId: `user ${sent}`, properties };
        return fetch(`${url}/events`, { method: 'POST', headers, body: JSON.stringify(event) });
      };
      const read = (user: string) => fetch(`${url}/profiles/${encodeURIComponent(user)}`, { headers });
      const acknowledged: string[] = [];
      let refused: Response | undefined;
      for (let batch = 0; batch < MOST_BATCHES && !refused; batch += 1) {
        const answer = await post();
        if (answer.status === 200) acknowledged.push(`user ${sent}`);
        else refused = answer;
      }
      expect(refused?.status).toBe(503);
      expect(refused?.headers.get('retry-after')).toBe('1');

      for (let round = 0; round < 3; round += 1) {
        await later(IDLE_MS);
        expect((await post()).status).toBe(503);
        expect((await read(acknowledged[0] ?? '')).status).toBe(200);
      }
      expect(server.child.exitCode).toBeNull();

      rmSync(ballast);
      await later(IDLE_MS);
      expect((await post()).status).toBe(200);
      acknowledged.push(`user ${sent}`);
      const found = await Promise.all(acknowledged.map(async (user) => (await read(user)).status));
      expect(found.filter((status) => status !== 200)).toEqual([]);
      console.log(`full disk: ${acknowledged.length} acknowledged and found`);
      expect(await server.stop()).toBe(0);
    } finally {
      execFileSync('umount', ['-l', disk]);
      await at.remove();
    }
  });
});
