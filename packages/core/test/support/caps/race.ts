import { inArray } from 'drizzle-orm';
import type { Storage } from '../../../src/database/storage.ts';
import { userPerson } from '../../../src/foundation/person.ts';
import { hand } from '../sends/world.ts';
import type { Capped } from './capped.ts';

/** Rows per claim of a worker: the minimum, and the range above it. */
const LEAST = 5;
const SPREAD = 60;

export type RaceFigures = {
  readonly over: number;
  readonly under: number;
  readonly sent: number;
  readonly suppressed: number;
};

/**
 * One worker per storage hands over `sends` sends to each of `users`, all concurrently.
 *
 * @param name unique among the races of one world
 * @param random from 0 (inclusive) to 1
 * @returns users who got more than `cap`, or fewer, and the results of the messages
 */
export const race = async (
  world: Capped,
  storages: readonly Storage[],
  {
    name,
    users,
    sends,
    cap,
    random,
  }: { name: string; users: number; sends: number; cap: number; random: () => number },
): Promise<RaceFigures> => {
  const names = Array.from({ length: users }, (_, at) => `${name} ${at}`);
  for (const user of names) world.tokens.set(user, [{ address: user, name: null, facts: { platform: 'android' } }]);
  const made = [];
  for (let at = 0; at < sends; at += 1) made.push(await world.push(names));
  const engines = storages.map((storage) => world.cappedEngine(storage));
  const workers = engines.map((engine, at) => {
    const storage = storages[at] ?? world.storage;
    return hand({ ...world.database, storage }, engine.registrations.messages);
  });
  await Promise.all(
    workers.map(async (worker) => {
      while ((await worker.turn(LEAST + Math.floor(random() * SPREAD))) > 0);
    }),
  );
  await Promise.all(engines.map((engine) => engine.close()));
  const { messages } = world.tables;
  const ends = await world.storage.db
    .select({ person: messages.person, status: messages.status, reason: messages.reason })
    .from(messages)
    .where(inArray(messages.sendId, made));
  const got = Map.groupBy(
    ends.filter(({ status }) => status === 'sent'),
    ({ person }) => person,
  );
  const counts = names.map((user) => got.get(userPerson(user))?.length ?? 0);
  return {
    over: counts.filter((count) => count > cap).length,
    under: counts.filter((count) => count < cap).length,
    sent: counts.reduce((sum, count) => sum + count, 0),
    suppressed: ends.filter(({ reason }) => reason === 'frequency_cap').length,
  };
};

/** A deterministic sequence of numbers from 0 (inclusive) to 1. Source: mulberry32, public domain. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
