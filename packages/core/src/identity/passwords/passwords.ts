import { detectHash, isOutdated } from './formats/formats.ts';
import type { HashConfig, ParsedHash } from './formats/parsed.ts';
import { standInOf } from './formats/stand-in.ts';
import type { HashPool } from './pool.ts';
import type { HashCaller, HashQueue, HashTicket } from './queue.ts';

/** A hash as stored; for one of Firebase, the opened signer key is passed in `hashConfig`. */
export type StoredPassword = { readonly hash: string; readonly hashConfig?: HashConfig };

/** Whose hash it is, and how it is admitted. */
export type HashContext = HashCaller & {
  /** From `admit`. Absent: the call is admitted now. */
  readonly ticket?: HashTicket;
  /**
   * Stand-ins of the imported hashes in the scope, one per algorithm and cost (`standInOf`). With any, a failed comparison
   * takes as long as one of the slowest of them: otherwise its time would show whether an account exists, and how it was
   * imported.
   */
  readonly standIns?: readonly string[];
};

export type PasswordVerification = {
  readonly isRight: boolean;
  /** True for a right password whose hash is not what is made today: store a new one from `rehash`. */
  readonly needsRehash: boolean;
};

export type PasswordHasher = {
  /** Reserves a hash before anything is looked up. Throws BeckonError OVERLOADED. */
  admit(caller: HashCaller): HashTicket;
  /** A new hash to store. Throws as `HashTicket.run`. */
  hash(password: string, context: HashContext): Promise<string>;
  /**
   * Compares a password with a stored hash. Null, and text that is no accepted hash, cost the same work as a hash of
   * today and fit no password. Throws as `HashTicket.run`.
   */
  verify(stored: StoredPassword | null, password: string, context: HashContext): Promise<PasswordVerification>;
  /** A new hash for a password that was right, at low priority. Undefined: the server is busy; the next sign-in tries again. */
  rehash(password: string): Promise<string | undefined>;
  /** Ends the threads. Throws nothing. */
  close(): Promise<void>;
};

export type PasswordHasherOptions = {
  readonly pool: HashPool;
  readonly queue: HashQueue;
  /** Waits. Used for the padding of failed comparisons only. */
  readonly delay: (ms: number) => Promise<void>;
  /** Monotonic milliseconds; default `performance.now()`. */
  readonly nowMs?: () => number;
};

/** Compared in place of a missing hash: an argon2id hash at the present cost, whose digest matches no known password. */
const DUMMY = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Durations of which the median is taken. Chosen: follows a change of load within seconds. */
const REMEMBERED = 101;

/** Algorithms with their cost that are remembered. Chosen: a scope has a few; a forgotten one is measured again. */
const MAX_STAND_INS = 1_000;

/** Remembers how long comparisons took, per algorithm and cost. */
const durations = () => {
  const byStandIn = new Map<string, number[]>();
  return {
    add: (standIn: string, ms: number): void => {
      const all = byStandIn.get(standIn) ?? [];
      all.push(ms);
      if (all.length > REMEMBERED) all.shift();
      byStandIn.delete(standIn);
      byStandIn.set(standIn, all);
      const [oldest] = byStandIn.size > MAX_STAND_INS ? byStandIn.keys() : [];
      if (oldest !== undefined) byStandIn.delete(oldest);
    },
    /** Undefined for a stand-in that was not measured yet. */
    median: (standIn: string): number | undefined => {
      const sorted = (byStandIn.get(standIn) ?? []).toSorted((a, b) => a - b);
      return sorted[sorted.length >> 1];
    },
  };
};

const accepted = (stored: StoredPassword | null): ParsedHash | null => {
  const detected = stored === null ? null : detectHash(stored.hash, stored.hashConfig);
  return detected !== null && 'hash' in detected ? detected.hash : null;
};

/** Hashes and compares passwords on the threads of a pool, in the order of a queue. */
export const passwordHasher = ({
  pool,
  queue,
  delay,
  nowMs = () => performance.now(),
}: PasswordHasherOptions): PasswordHasher => {
  const dummy = accepted({ hash: DUMMY });
  if (!dummy) throw new TypeError('The placeholder for a missing hash must be valid.');
  const took = durations();
  const dummyStandIn = standInOf(dummy);
  const inQueue = <T>(context: HashContext, task: () => Promise<T>): Promise<T> =>
    context.ticket ? context.ticket.run(task) : queue.run(context, task);

  return {
    admit: queue.admit,
    hash: (password, context) => inQueue(context, () => pool.hash(password)),
    verify: async (stored, password, context) => {
      const hash = accepted(stored);
      const compare = (compared: ParsedHash) =>
        inQueue(context, async () => {
          const beganMs = nowMs();
          const isEqual = await pool.verify(compared, password);
          const ms = nowMs() - beganMs;
          took.add(standInOf(compared), ms);
          return { isEqual, ms };
        });
      const { isEqual, ms } = await compare(hash ?? dummy);
      const isRight = hash !== null && isEqual;
      if (isRight) return { isRight, needsRehash: isOutdated(hash) };
      const { standIns = [] } = context;
      if (standIns.length === 0) return { isRight, needsRehash: false };
      // A new process does not know how long an imported hash takes. One measurement per call bounds its duration.
      const unmeasured = standIns.find((standIn) => took.median(standIn) === undefined);
      const measured = unmeasured === undefined ? null : accepted({ hash: unmeasured });
      const spentMs = ms + (measured === null ? 0 : (await compare(measured)).ms);
      // The dummy is argon2id, which may be slower than what was imported.
      const slowestMs = Math.max(...[...standIns, dummyStandIn].map((standIn) => took.median(standIn) ?? 0));
      if (slowestMs > spentMs) await delay(slowestMs - spentMs);
      return { isRight, needsRehash: false };
    },
    rehash: (password) => queue.runIfIdle(() => pool.hash(password)),
    close: pool.close,
  };
};
