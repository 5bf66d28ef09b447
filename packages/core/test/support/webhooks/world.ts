import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Beckon } from '../../../src/app/api.ts';
import { createBeckon } from '../../../src/app/create.ts';
import type { BeckonOptions } from '../../../src/app/options.ts';
import type { StorageObserver } from '../../../src/database/observer.ts';
import type { Clock } from '../../../src/foundation/clock.ts';
import { newMasterKey } from '../../../src/foundation/secrets.ts';
import { openTestDatabase } from '../database.ts';
import { type Answer, openReceiver } from './receiver.ts';

/**
 * A service that may post to loopback, with one project and a separate database connection for the test; and a
 * receiver.
 */
export const openWorld = async (clock: Clock, answer: () => Answer, observer: StorageObserver = {}) => {
  // A file: in-memory SQLite belongs to one connection, and the service opens its own.
  const folder = mkdtempSync(join(tmpdir(), 'beckon-webhooks-'));
  const database = await openTestDatabase({ url: `sqlite:${join(folder, 'beckon.db')}`, clock });
  const receiver = await openReceiver(answer);
  const masterKey = newMasterKey();
  const opened: Beckon[] = [];
  /** Opens the service again after it was closed. */
  const open = async (key: string, more: Pick<BeckonOptions, 'log' | 'outbound'> = {}): Promise<Beckon> => {
    const outbound = { allowCidrs: ['127.0.0.0/8'] };
    const made = await createBeckon({ db: database.url, masterKey: key, clock, outbound, ...more }, { observer });
    opened.push(made);
    return made;
  };
  const beckon = await open(masterKey);
  const org = await beckon.tenancy.createOrg({ name: 'Acme' });
  const project = await beckon.tenancy.createProject({ orgId: org.id, name: 'App' });
  return {
    ...{ database, receiver, masterKey, beckon, open },
    scope: await beckon.tenancy.scope({ orgId: org.id, projectId: project.id, environment: 'test' }),
    close: async (): Promise<void> => {
      for (const one of opened) await one.close();
      await receiver.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
};

export type World = Awaited<ReturnType<typeof openWorld>>;
