import { detectHash, isOutdated } from './formats/formats.ts';
import type { HashAlgorithm, HashConfig, ParsedHash } from './formats/parsed.ts';
import type { HashPool } from './pool.ts';
import type { HashCaller, HashQueue, HashTicket } from './queue.ts';

/** A hash as stored; for one of Firebase, the opened signer key is passed in `hashConfig`. */
export type StoredPassword = { readonly hash: string; readonly hashConfig?: HashConfig };

/** Whose hash it is, and how it is admitted. */
export type HashContext = HashCaller & {
  /** From `admit`. Absent: the call is admitted now. */
  readonly ticket?: HashTicket;
  /**
   * Algorithms of the hashes in the scope, as stored beside them. With any, a failed comparison takes as long as one of
   * the slowest of them: otherwise its time would show whether an account exists, and how it was imported.
   */
  readonly algorithms?: readonly HashAlgorithm[];
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

/** What stands in for a missing hash: the cost of today, and a digest that no password is known to have. */
const DUMMY = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Durations of which the median is taken. Chosen: follows a change of load within seconds. */
const REMEMBERED = 101;

/** Remembers how long comparisons took, per algorithm. */
const durations = () => {
  const byAlgorithm = new Map<HashAlgorithm, number[]>();
  return {
    add: (algorithm: HashAlgorithm, ms: number): void => {
      const all = byAlgorithm.get(algorithm) ?? [];
      all.push(ms);
      if (all.length > REMEMBERED) all.shift();
      byAlgorithm.set(algorithm, all);
    },
    /** 0 for an algorithm that was not used yet. */
    median: (algorithm: HashAlgorithm): number => {
      const sorted = (byAlgorithm.get(algorithm) ?? []).toSorted((a, b) => a - b);
      return sorted[sorted.length >> 1] ?? 0;
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
  if (!dummy) throw new TypeError('The hash that stands in for a missing one must be valid.');
  const took = durations();
  const inQueue = <T>(context: HashContext, task: () => Promise<T>): Promise<T> =>
    context.ticket ? context.ticket.run(task) : queue.run(context, task);

  return {
    admit: queue.admit,
    hash: (password, context) => inQueue(context, () => pool.hash(password)),
    verify: async (stored, password, context) => {
      const hash = accepted(stored);
      const compared = hash ?? dummy;
      const { isEqual, ms } = await inQueue(context, async () => {
        const beganMs = nowMs();
        const isEqual = await pool.verify(compared, password);
        return { isEqual, ms: nowMs() - beganMs };
      });
      took.add(compared.algorithm, ms);
      const isRight = hash !== null && isEqual;
      if (isRight) return { isRight, needsRehash: isOutdated(hash) };
      const { algorithms = [] } = context;
      // The stand-in is argon2id, which may be slower than what was imported.
      const slowestMs = algorithms.length > 0 ? Math.max(...[...algorithms, dummy.algorithm].map(took.median)) : 0;
      if (slowestMs > ms) await delay(slowestMs - ms);
      return { isRight, needsRehash: false };
    },
    rehash: (password) => queue.runIfIdle(() => pool.hash(password)),
    close: pool.close,
  };
};
