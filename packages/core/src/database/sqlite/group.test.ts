import { beforeEach, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from './connection.ts';
import { commitGroup, type Group, type GroupHooks } from './group.ts';
import { type ConnectionMutex, connectionMutex } from './mutex.ts';

const PAGE = 4_096;

describe('group commit', () => {
  let connection: Connection;
  let mutex: ConnectionMutex;
  let commits: number;
  const groupOf = (hooks: GroupHooks = {}): Group =>
    commitGroup(connection, mutex, { committed: () => (commits += 1), ...hooks });
  const insert = (group: Group, id: string, bytes = 10): Promise<string> =>
    group.run(() => {
      connection.prepare('insert into rows values (?, zeroblob(?))').run(id, bytes);
      return { value: id, keep: true };
    });
  const stored = (): unknown[] => connection.prepare('select id from rows order by id').pluck().all();

  beforeEach(() => {
    connection = openConnection(':memory:', 'full');
    connection.exec('create table rows (id text primary key, body blob)');
    mutex = connectionMutex();
    commits = 0;
    return () => connection.close();
  });

  it('jobs of one moment are written in one transaction', async () => {
    const group = groupOf();
    expect(await Promise.all(['a', 'b', 'c'].map((id) => insert(group, id)))).toEqual(['a', 'b', 'c']);
    expect(commits).toBe(1);
  });

  it('jobs that arrive while another holds the connection join the group', async () => {
    const group = groupOf();
    const free = Promise.withResolvers<void>();
    const other = mutex.exclusive(() => free.promise);
    const first = insert(group, 'a');
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const second = insert(group, 'b');
    free.resolve();
    await Promise.all([other, first, second]);
    expect(commits).toBe(1);
  });

  it('a transaction has at most 1,000 jobs', async () => {
    const group = groupOf();
    await Promise.all(Array.from({ length: 2_001 }, (_, at) => insert(group, String(at))));
    expect(commits).toBe(3);
    expect(stored()).toHaveLength(2_001);
  });

  describe('jobs that may be lost', () => {
    const NORMAL = 1;
    const FULL = 2;
    const level = (): unknown => connection.pragma('synchronous', { simple: true });
    const levelIn = (group: Group, mayBeLost: boolean): Promise<unknown> =>
      group.run(() => ({ value: level(), keep: true }), { mayBeLost });

    it('jobs that may be lost wait for the disk only together with a durable job', async () => {
      const group = groupOf();
      expect(await Promise.all([levelIn(group, true), levelIn(group, true)])).toEqual([NORMAL, NORMAL]);
      expect(await Promise.all([levelIn(group, true), levelIn(group, false)])).toEqual([FULL, FULL]);
      expect(level()).toBe(FULL);
    });

    it('commits wait for the disk again after a failed job that may be lost', async () => {
      const group = groupOf();
      const failing = group.run(
        () => {
          throw new Error('refused');
        },
        { mayBeLost: true },
      );
      await expect(failing).rejects.toThrow('refused');
      expect([level(), await levelIn(group, false)]).toEqual([FULL, FULL]);
    });

    it('a job that may be lost is no less durable than its connection', async () => {
      connection.pragma('synchronous = NORMAL');
      const group = groupOf();
      expect([await levelIn(group, true), await levelIn(group, false), level()]).toEqual([NORMAL, NORMAL, NORMAL]);
    });
  });

  it('a job that throws or gives up is rolled back, and nothing else', async () => {
    const group = groupOf();
    const refused = group.run(() => {
      connection.exec("insert into rows values ('refused', null)");
      throw new Error('refused');
    });
    const given = group.run(() => {
      connection.exec("insert into rows values ('given up', null)");
      return { value: 'given up', keep: false };
    });
    const kept = insert(group, 'kept');
    await expect(refused).rejects.toThrow('refused');
    expect(await given).toBe('given up');
    expect(await kept).toBe('kept');
    expect(stored()).toEqual(['kept']);
  });

  it('a group keeps its other jobs if one is too large for the disk', async () => {
    const group = groupOf();
    connection.pragma('max_page_count = 40');
    const settled = await Promise.allSettled(
      Array.from({ length: 20 }, (_, at) => insert(group, `row ${at}`, at === 13 ? 100 * PAGE : 10)),
    );
    const rejected = settled.flatMap((one, at) => (one.status === 'rejected' ? [[at, one.reason.code]] : []));
    expect(rejected).toEqual([[13, 'SQLITE_FULL']]);
    expect(stored()).toHaveLength(19);
    expect(stored()).not.toContain('row 13');
  });

  it('a full disk rejects what does not fit, keeps what was confirmed, and works again when space is free', async () => {
    const group = groupOf();
    const write = (prefix: string): Promise<PromiseSettledResult<string>[]> =>
      Promise.allSettled(Array.from({ length: 8 }, (_, at) => insert(group, `${prefix}${at}`, 10 * PAGE)));
    connection.pragma('max_page_count = 45');
    const kept = (await write('a')).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(kept.length).toBeLessThan(8);
    expect(stored()).toEqual(kept.sort());
    connection.pragma('max_page_count = 1000');
    expect((await write('b')).map(({ status }) => status)).toEqual(Array(8).fill('fulfilled'));
  });

  it('a failed commit rejects the whole group, each job with its own error if it had one', async () => {
    const group = groupOf({ beforeCommit: () => Promise.reject(new Error('no commit')) });
    const [kept, refused] = await Promise.allSettled([
      insert(group, 'a'),
      group.run(() => {
        throw new Error('refused');
      }),
    ]);
    expect(kept).toMatchObject({ reason: new Error('no commit') });
    expect(refused).toMatchObject({ reason: new Error('refused') });
    expect(stored()).toEqual([]);
    expect(connection.inTransaction).toBe(false);
  });

  it('jobs of a connection that cannot begin are rejected', async () => {
    const group = groupOf();
    connection.close();
    await expect(insert(group, 'a')).rejects.toThrow();
  });
});
