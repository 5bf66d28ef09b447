import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDeadline } from '../../foundation/deadline.ts';
import { BeckonError } from '../../foundation/errors.ts';
import { type HashCaller, type HashQueueOptions, hashQueue } from './queue.ts';

/** Lets settled promises call their handlers. */
const flush = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue with a clock that only the test moves, and tasks that end when the test says so. */
const sample = (options: Partial<HashQueueOptions> = {}) => {
  let now = 0;
  const queue = hashQueue({ threads: 1, nowMs: () => now, random: () => 0, ...options });
  const began: string[] = [];
  const running: { readonly name: string; readonly end: () => void }[] = [];
  const refused: string[] = [];
  const ended: string[] = [];
  const task = (name: string) => () =>
    new Promise<string>((resolve) => {
      began.push(name);
      running.push({ name, end: () => resolve(name) });
    });
  return {
    queue,
    ...{ began, refused, ended, task },
    advance: (ms: number): void => {
      now += ms;
    },
    /** Resolves true for an admitted call; its later refusal is recorded. */
    arrive: (name: string, caller: HashCaller): boolean => {
      try {
        const run = queue.admit(caller).run(task(name));
        run.then(
          () => ended.push(name),
          () => refused.push(name),
        );
        return true;
      } catch (error) {
        if (!(error instanceof BeckonError)) throw error;
        return false;
      }
    },
    endFirst: async (tookMs = 50): Promise<void> => {
      now += tookMs;
      running.shift()?.end();
      await flush();
    },
    isIdle: (): boolean => running.length === 0,
  };
};

const errorOf = (act: () => unknown): BeckonError => {
  try {
    act();
  } catch (error) {
    if (error instanceof BeckonError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('the order of the hash queue', () => {
  it('owners are served round robin, each in the order of arrival', async () => {
    const { arrive, began, endFirst } = sample();
    for (const at of [1, 2, 3]) arrive(`flood ${at}`, { owner: 'flood' });
    for (const at of [1, 2]) arrive(`calm ${at}`, { owner: 'calm' });
    arrive('other 1', { owner: 'other' });
    for (let at = 0; at < 6; at += 1) await endFirst();
    expect(began).toEqual(['flood 1', 'flood 2', 'calm 1', 'other 1', 'flood 3', 'calm 2']);
  });

  it('as many tasks run as there are threads', async () => {
    const { arrive, began, queue, endFirst } = sample({ threads: 3 });
    for (let at = 0; at < 5; at += 1) arrive(`${at}`, { owner: at });
    expect(queue.load()).toMatchObject({ running: 3, waiting: 2 });
    await endFirst();
    expect(began).toEqual(['0', '1', '2', '3']);
  });

  it('a task that fails frees its thread, and its error reaches its caller', async () => {
    const { queue } = sample();
    const failed = queue.run({ owner: 1 }, () => Promise.reject(new Error('broken')));
    await expect(failed).rejects.toThrow('broken');
    expect(await queue.run({ owner: 1 }, async () => 'next')).toBe('next');
    expect(queue.load()).toMatchObject({ running: 0, waiting: 0, reserved: 0 });
  });
});

describe('admission to the hash queue', () => {
  // One thread and 50 ms per task: 2 s are 40 tasks, of which untrusted calls get 30.
  const fill = (arrive: (name: string, caller: HashCaller) => boolean, caller: HashCaller): number => {
    let admitted = 0;
    while (arrive(`${admitted}`, caller)) admitted += 1;
    return admitted;
  };

  it('a call is refused when more than 1.5 s are waiting, and one of a trusted device above 2 s', () => {
    const { arrive, queue } = sample();
    expect(fill(arrive, { owner: 1 })).toBe(31);
    expect(queue.load()).toMatchObject({ running: 1, waiting: 30, waitMs: 1_550 });
    expect(fill(arrive, { owner: 1, isTrustedDevice: true })).toBe(10);
    expect(queue.load()).toMatchObject({ waiting: 40, waitMs: 2_050 });
  });

  it('more threads admit more calls', () => {
    const { arrive } = sample({ threads: 4 });
    expect(fill(arrive, { owner: 1 })).toBe(121);
  });

  it('the duration of tasks decides how many are admitted', async () => {
    const { arrive, queue, endFirst } = sample();
    for (let at = 0; at < 60; at += 1) {
      expect(arrive('slow', { owner: 1 })).toBe(true);
      await endFirst(500);
    }
    expect(fill(arrive, { owner: 1 })).toBe(4);
    while (queue.load().running > 0) await endFirst(10);
    for (let at = 0; at < 60; at += 1) {
      arrive('quick', { owner: 1 });
      await endFirst(10);
    }
    expect(fill(arrive, { owner: 1 })).toBeGreaterThan(120);
  });

  it('a permit counts from the admission on, before its task', () => {
    const { queue, arrive } = sample();
    const tickets = Array.from({ length: 31 }, () => queue.admit({ owner: 1 }));
    expect(queue.load()).toMatchObject({ reserved: 31, waiting: 0, running: 0 });
    expect(arrive('refused', { owner: 1 })).toBe(false);
    tickets[0]?.release();
    tickets[0]?.release();
    expect(queue.load().reserved).toBe(30);
    expect(arrive('admitted', { owner: 1 })).toBe(true);
  });

  it('a ticket runs further tasks of its call without another admission', async () => {
    const { queue, task, endFirst, arrive } = sample();
    const ticket = queue.admit({ owner: 1 });
    const first = ticket.run(task('verify'));
    while (arrive('others', { owner: 1 }));
    const second = ticket.run(task('hash'));
    expect(queue.load()).toMatchObject({ reserved: 0, waiting: 31 });
    for (let at = 0; at < 32; at += 1) await endFirst();
    expect([await first, await second]).toEqual(['verify', 'hash']);
  });

  it('a call whose deadline is nearer than its wait and a second is refused', () => {
    const { arrive } = sample();
    expect(arrive('too late', { owner: 1, deadlineMs: 999 })).toBe(false);
    expect(arrive('in time', { owner: 1, deadlineMs: 1_000 })).toBe(true);
    // One runs: 50 ms.
    expect(arrive('too late', { owner: 1, deadlineMs: 1_049 })).toBe(false);
    expect(arrive('in time', { owner: 1, deadlineMs: 1_050 })).toBe(true);
  });

  it('the deadline of the current work applies by default', async () => {
    const queue = hashQueue({ threads: 1 });
    await withDeadline(500, async () => expect(errorOf(() => queue.admit({ owner: 1 })).code).toBe('OVERLOADED'));
    await withDeadline(600_000, async () => queue.admit({ owner: 1 }).release());
  });

  it('a task whose deadline passed while it waited is refused and never begins', async () => {
    const { arrive, began, refused, endFirst } = sample();
    arrive('first', { owner: 1 });
    arrive('late', { owner: 1, deadlineMs: 2_000 });
    arrive('patient', { owner: 1 });
    await endFirst(2_000);
    expect([began, refused]).toEqual([['first', 'patient'], ['late']]);
  });

  it('B2: a refusal is OVERLOADED with 5 to 30 seconds, which grow with the wait and differ among callers', async () => {
    const retry = async (threads: number, random: number, slowMs?: number): Promise<number | undefined> => {
      const { arrive, queue, endFirst } = sample({ threads, random: () => random });
      if (slowMs !== undefined) {
        for (let at = 0; at < 40; at += 1) {
          arrive('slow', { owner: 1 });
          await endFirst(slowMs);
        }
      }
      while (arrive('one', { owner: 1 }));
      const error = errorOf(() => queue.admit({ owner: 1 }));
      expect([error.code, error.status]).toEqual(['OVERLOADED', 503]);
      return error.retryAfterSeconds;
    };
    expect(await retry(1, 0)).toBe(7);
    expect(await retry(1, 0.999)).toBe(10);
    expect(await retry(1, 0, 60_000)).toBe(30);
    const { queue } = sample();
    expect(errorOf(() => queue.admit({ owner: 1, deadlineMs: 0 })).retryAfterSeconds).toBe(5);
  });

  it('an owner gets at most half of the permits while others wait, and all of them while none does', async () => {
    const { arrive, queue, endFirst } = sample();
    expect(fill(arrive, { owner: 'flood' })).toBe(31);
    while (queue.load().waiting > 18) await endFirst();
    expect(arrive('calm', { owner: 'calm' })).toBe(true);
    // 19 permits are held by both; half of 40 is 20.
    expect(fill(arrive, { owner: 'flood' })).toBe(2);
    expect(queue.load().waitMs).toBeLessThan(1_500);
    expect(arrive('calm', { owner: 'calm' })).toBe(true);
  });

  it('a newcomer takes the permit of the newest task of the owner that holds the most', async () => {
    const { arrive, began, refused, queue, endFirst } = sample();
    const admitted = fill(arrive, { owner: 'flood' });
    expect(arrive('calm', { owner: 'calm' })).toBe(true);
    await flush();
    expect(refused).toEqual([`${admitted - 1}`]);
    expect(queue.load().waiting).toBe(30);
    await endFirst();
    await endFirst();
    expect(began).toEqual(['0', '1', 'calm']);
  });

  it('a newcomer takes no permit of a trusted device, and none of an owner that holds as little', () => {
    const { arrive } = sample();
    fill(arrive, { owner: 'flood', isTrustedDevice: true });
    expect(arrive('calm', { owner: 'calm' })).toBe(false);
    const many = sample();
    for (let owner = 0; owner < 31; owner += 1) expect(many.arrive('one', { owner })).toBe(true);
    expect(many.arrive('one more', { owner: 31 })).toBe(false);
  });
});

describe('callers of the hash queue that leave', () => {
  it('B9: an aborted signal frees the permit of a waiting task, which never begins', async () => {
    const { queue, began, task, endFirst } = sample();
    const controller = new AbortController();
    const first = queue.run({ owner: 1 }, task('first'));
    const left = queue.run({ owner: 1, signal: controller.signal }, task('left'));
    const last = queue.run({ owner: 1 }, task('last'));
    controller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(queue.load()).toMatchObject({ running: 1, waiting: 1 });
    await endFirst();
    await endFirst();
    expect([await first, await last, began]).toEqual(['first', 'last', ['first', 'last']]);
  });

  it('an aborted signal frees a permit whose task was not yet passed', async () => {
    const { queue, task } = sample();
    const controller = new AbortController();
    const ticket = queue.admit({ owner: 1, signal: controller.signal });
    controller.abort(new Error('gone'));
    expect(queue.load().reserved).toBe(0);
    await expect(ticket.run(task('left'))).rejects.toThrow('gone');
    expect(() => queue.admit({ owner: 1, signal: controller.signal })).toThrow('gone');
    expect(queue.load()).toMatchObject({ reserved: 0, waiting: 0, running: 0 });
  });

  it('the result of a running task is dropped, and its thread stays busy until it ends', async () => {
    const { queue, task, endFirst } = sample();
    const controller = new AbortController();
    const left = queue.run({ owner: 1, signal: controller.signal }, task('left'));
    controller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(queue.load().running).toBe(1);
    await endFirst();
    expect(queue.load().running).toBe(0);
  });
});

describe('tasks that nobody waits for', () => {
  it('they run on an idle thread, and are dropped while threads are busy or the server sheds load', async () => {
    let isShedding = false;
    const { queue, task, endFirst, began } = sample({ threads: 2, isShedding: () => isShedding });
    const first = queue.runIfIdle(task('rehash'));
    const second = queue.run({ owner: 1 }, task('sign-in'));
    expect(await queue.runIfIdle(task('dropped'))).toBeUndefined();
    await endFirst();
    await endFirst();
    expect([await first, await second]).toEqual(['rehash', 'sign-in']);
    isShedding = true;
    expect(await queue.runIfIdle(task('dropped'))).toBeUndefined();
    expect(began).toEqual(['rehash', 'sign-in']);
    expect(queue.load()).toMatchObject({ running: 0, waiting: 0 });
  });
});

describe('fairness of the hash queue under any arrivals', () => {
  type Step = { readonly kind: 'arrive' | 'end' | 'leave'; readonly owner: number; readonly isTrusted: boolean };
  const steps = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom('arrive', 'arrive', 'arrive', 'end', 'leave'),
      // The first owner floods.
      owner: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(5) }),
      isTrusted: fc.boolean(),
    }),
    { minLength: 1, maxLength: 150 },
  );

  it('no owner is served twice while another one waits, and every admitted call ends or is refused', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (all, threads) => {
        const { queue, arrive, began, refused, ended, endFirst, isIdle } = sample({ threads });
        const ownerOf = new Map<string, number>();
        const leave = new Map<string, AbortController>();
        // Services of the first owner since the second one began to wait.
        const since = new Map<number, Map<number, number>>();
        let seen = 0;
        const waitingOf = (owner: number): number =>
          [...ownerOf].filter(([name, one]) => one === owner && !began.includes(name) && !refused.includes(name))
            .length;
        const observe = async (): Promise<void> => {
          await flush();
          for (; seen < began.length; seen += 1) {
            const served = ownerOf.get(began[seen] ?? '') ?? -1;
            since.delete(served);
            for (const counts of since.values()) counts.set(served, (counts.get(served) ?? 0) + 1);
          }
          for (const owner of new Set(ownerOf.values())) {
            if (waitingOf(owner) === 0) since.delete(owner);
            else if (!since.has(owner)) since.set(owner, new Map());
          }
          for (const counts of since.values()) expect(Math.max(0, ...counts.values())).toBeLessThanOrEqual(1);
          expect(queue.load().running).toBeLessThanOrEqual(threads);
          if (queue.load().waiting > 0) expect(queue.load().running).toBe(threads);
        };
        for (const [at, { kind, owner, isTrusted }] of all.entries()) {
          const name = `${at}`;
          if (kind === 'end') await endFirst();
          else if (kind === 'leave') {
            const waiting = [...ownerOf.keys()].filter((one) => !began.includes(one) && !refused.includes(one));
            leave.get(waiting[owner] ?? '')?.abort(new Error('gone'));
          } else {
            const controller = new AbortController();
            ownerOf.set(name, owner);
            leave.set(name, controller);
            if (!arrive(name, { owner, isTrustedDevice: isTrusted, signal: controller.signal })) ownerOf.delete(name);
          }
          await observe();
        }
        while (!isIdle()) {
          await endFirst();
          await observe();
        }
        expect([...ended, ...refused].toSorted()).toEqual([...ownerOf.keys()].toSorted());
        expect(queue.load()).toMatchObject({ running: 0, waiting: 0, reserved: 0 });
      }),
      { numRuns: 60 },
    );
  });

  it('an owner whose calls come one at a time is never refused, whatever one other owner does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 1, max: 3 }),
        async (turns, threads) => {
          const { arrive, began, endFirst } = sample({ threads });
          let calm = 0;
          for (const isCalm of turns) {
            while (arrive('flood', { owner: 'flood' }));
            if (isCalm) {
              calm += 1;
              expect(arrive(`calm ${calm}`, { owner: 'calm' })).toBe(true);
              // At most one task of the flood goes before it, beside those that run.
              for (let ends = 0; ends <= threads && !began.includes(`calm ${calm}`); ends += 1) await endFirst();
              expect(began).toContain(`calm ${calm}`);
            }
            await endFirst();
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
