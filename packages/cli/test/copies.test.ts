// Copies of a SQLite file that other tools make while the server writes: what docs/guides/backups.md says about them.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Deployment, deploy, urlOf } from './kill/deployment.ts';
import { client } from './kill/http.ts';

const COPY = fileURLToPath(new URL('support/copy-database.ts', import.meta.url));
const WRITERS = 4;
/** Events before and after a copy. Chosen: about a second of load each. */
const EVENTS = 200;

/** Ids of the stored events; null: the file is damaged. */
const eventsIn = (file: string): ReadonlySet<string> | null => {
  const database = new Database(file, { fileMustExist: true });
  try {
    if (database.pragma('integrity_check', { simple: true }) !== 'ok') return null;
    return new Set(database.prepare('select message_id from events').pluck().all().map(String));
  } finally {
    database.close();
  }
};

describe('copies of a SQLite file beside a server that writes', () => {
  let deployment: Deployment;
  const acknowledged: string[] = [];
  let stopLoad: () => Promise<void>;
  let file = '';
  let copied = 0;

  const until = async (count: number): Promise<void> => {
    while (acknowledged.length < count) await new Promise((done) => setTimeout(done, 5));
  };
  const copy = async (method: string): Promise<string> => {
    const to = `${file}.${copied++}`;
    await promisify(execFile)(process.execPath, [COPY, method, file, to]);
    return to;
  };

  beforeAll(async () => {
    deployment = await deploy('sqlite', []);
    file = deployment.url.slice('sqlite:'.length);
    const http = client(await urlOf(deployment.start(['serve', '--port', '0'])), deployment.key, WRITERS);
    let [next, isOver] = [0, false];
    const write = async (): Promise<void> => {
      while (!isOver) {
        const messageId = `m-${next++}`;
        const event = { module: 'shop', eventType: 'seen', userId: `user-${next % 50}`, messageId };
        const { status } = await http.call('POST', '/api/v1/events', event);
        if (status === 200) acknowledged.push(messageId);
      }
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, write));
    stopLoad = async () => {
      isOver = true;
      await writing;
      http.close();
    };
  });
  afterAll(async () => {
    await stopLoad();
    await deployment.remove();
  });

  it.each(['backup', 'vacuum into', 'file and log behind a reader'])(
    'a copy by %s is whole, has every event that was acknowledged before it began, and lets the server write on',
    async (method) => {
      await until(acknowledged.length + EVENTS);
      const before = [...acknowledged];
      const to = await copy(method);
      await until(acknowledged.length + EVENTS);
      const found = eventsIn(to);
      if (found === null) throw new Error('the copy is damaged');
      expect(before.filter((id) => !found.has(id))).toEqual([]);
      console.log(`copy by ${method}: ${before.length} acknowledged before, ${found.size} in it, lost 0`);
    },
  );

  it('a program starts on a copy of file and log, and serves its events', async () => {
    await until(EVENTS);
    const to = await copy('file and log behind a reader');
    expect(existsSync(`${to}-wal`)).toBe(true);
    const other = deployment.start(['serve', '--no-worker', '--port', '0', '--data-dir', join(file, '..')], {
      BECKON_DB: `sqlite:${to}`,
    });
    const http = client(await urlOf(other), deployment.key, 1);
    expect((await http.call('GET', '/api/v1/profiles/user-1')).status).toBe(200);
    http.close();
  });

  it('a copy of the file without its log lacks the newest commits, or is damaged', async () => {
    // Nothing is copied from the log into the file behind what a reader has seen; what it has seen may be copied meanwhile.
    const reading = new Database(file, { readonly: true });
    reading.exec('begin');
    reading.prepare('select count(*) from events').get();
    const seen = acknowledged.length;
    await until(seen + EVENTS);
    const to = await copy('file alone behind a reader');
    reading.exec('commit');
    reading.close();
    const found = eventsIn(to);
    expect(acknowledged.slice(seen + WRITERS, seen + EVENTS).filter((id) => found?.has(id))).toEqual([]);
  });

  it('the database itself has every acknowledged event after all these copies', async () => {
    await stopLoad();
    const stored = eventsIn(file);
    expect(acknowledged.filter((id) => !stored?.has(id))).toEqual([]);
  });
});
