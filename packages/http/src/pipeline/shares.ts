// Usage of this process by owner, so that load shedding rejects the callers that cause the load and no others. An owner
// is an organization once its key is known, before that a client network. Its usage is the time that its calls are in
// progress, which grows with their number and their cost, and decays with time. Usage is compared with the mean
// weighted by usage (what the owner of a millisecond of usage has on average), so owners that hardly call do not move
// the mean. One owner that floods is above it and all others are below; owners with equal usage all reach it, because
// no single one causes the load.

/**
 * Half-life of usage, in milliseconds. Chosen: longer than the windows in which load is measured, shorter than its
 * fall.
 */
const HALF_LIFE_MS = 3_000;
/** Maximum number of remembered owners. Source: as many as client networks (client-network.ts). */
const MAX_OWNERS = 10_000;
/** Minimum time between two searches for owners to forget. Chosen: a search visits all of them. */
const FORGET_MS = 1_000;
/**
 * The mean is cached for this time, or until one call per eight owners began. Chosen: computing it visits all of them.
 */
const MEAN_MS = 100;
const MEAN_CALLS = 1 / 8;
/** Tolerance for sums of floating-point numbers. */
const ROUNDING = 1 - 1e-9;
/** Weight of a call in an owner's usual call duration. Chosen: about the last hundred calls count. */
const WEIGHT = 0.02;
/** Assumed duration until a call has ended, in milliseconds. Chosen: an event on an idle process. */
const FIRST_CALL_MS = 1;

/** Usage of one owner: `used` in milliseconds of calls, as of `atMs`. */
type Owner = { inHand: number; used: number; atMs: number; usualMs: number };

/** The current owner of one call. */
export type Holding = { owner: Owner | null; beganMs: number; isEnded: boolean };
/** A call without an owner yet. Throws nothing. */
export const newHolding = (): Holding => ({ owner: null, beganMs: 0, isEnded: false });

/** No method throws. */
export type Shares = {
  /**
   * Assigns the call to this owner alone, with its time so far. Does nothing once the call has ended: work that
   * continues after it comes too late.
   */
  hold(holding: Holding, owner: string): void;
  /** The call has ended. */
  release(holding: Holding): void;
  /** The call is rejected. It counts as long as the owner's usual call, so that a rejected flood stays a flood. */
  refuse(holding: Holding): void;
  /**
   * True if the owner of the call uses more than its share.
   *
   * @param part fraction of the mean that owners may use: 0 to 1
   */
  isOver(holding: Holding, part?: number): boolean;
  /** Adds to the usage of an owner, for shares of something other than time. */
  add(owner: string, amount: number): void;
  /** As `isOver`, for an owner by its name. */
  isOwnerOver(owner: string, part?: number): boolean;
  /** Number of remembered owners. */
  count(): number;
};

/**
 * @param halfLifeMs half-life of usage
 * @param now a monotonic clock, in milliseconds
 */
export const fairShares = ({
  halfLifeMs = HALF_LIFE_MS,
  maxOwners = MAX_OWNERS,
  now = () => performance.now(),
}: {
  readonly halfLifeMs?: number | undefined;
  readonly maxOwners?: number | undefined;
  readonly now?: (() => number) | undefined;
} = {}): Shares => {
  const owners = new Map<string, Owner>();
  let usualMs = FIRST_CALL_MS;
  let forgotAtMs = Number.NEGATIVE_INFINITY;
  let meanMs = 0;
  let meanAtMs = Number.NEGATIVE_INFINITY;
  let begun = 0;

  const leftAfter = (ms: number): number => 2 ** (-ms / halfLifeMs);
  /** What a call in progress for this long adds to its owner's usage: its first moments have decayed by now. */
  const usedIn = (ms: number): number => ((1 - leftAfter(ms)) * halfLifeMs) / Math.LN2;
  const advance = (owner: Owner, nowMs: number): void => {
    const ms = nowMs - owner.atMs;
    if (ms <= 0) return;
    owner.used = owner.used * leftAfter(ms) + owner.inHand * usedIn(ms);
    owner.atMs = nowMs;
  };
  /** A call in progress counts from its first moment, so many calls that begin at once count as many. */
  const useOf = (owner: Owner): number => owner.used + owner.inHand * usualMs;

  const forget = (nowMs: number): void => {
    if (nowMs - forgotAtMs < FORGET_MS) return;
    forgotAtMs = nowMs;
    const isIdle = (owner: Owner): boolean => owner.inHand === 0;
    for (const [name, owner] of owners) {
      advance(owner, nowMs);
      if (isIdle(owner) && owner.used < usualMs / 100) owners.delete(name);
    }
    if (owners.size < maxOwners) return;
    for (const [name, owner] of owners) if (isIdle(owner)) owners.delete(name);
  };

  const ownerOf = (name: string, nowMs: number): Owner => {
    const known = owners.get(name);
    if (known !== undefined) return known;
    if (owners.size >= maxOwners) forget(nowMs);
    const made = { inHand: 0, used: 0, atMs: nowMs, usualMs };
    // If all remembered owners have calls in progress, a further one is not remembered.
    if (owners.size < maxOwners) owners.set(name, made);
    return made;
  };

  const leave = (holding: Holding, nowMs: number): Owner | null => {
    const { owner } = holding;
    if (owner === null) return null;
    advance(owner, nowMs);
    owner.inHand -= 1;
    holding.owner = null;
    return owner;
  };

  const findMean = (nowMs: number): void => {
    let total = 0;
    let squares = 0;
    for (const owner of owners.values()) {
      advance(owner, nowMs);
      const use = useOf(owner);
      total += use;
      squares += use * use;
    }
    meanMs = total === 0 ? 0 : squares / total;
    meanAtMs = nowMs;
    begun = 0;
  };

  const isOver = (owner: Owner, part: number): boolean => {
    const nowMs = now();
    if (nowMs - meanAtMs >= MEAN_MS || begun > owners.size * MEAN_CALLS) findMean(nowMs);
    advance(owner, nowMs);
    return useOf(owner) >= meanMs * part * ROUNDING;
  };

  return {
    hold: (holding, name) => {
      if (holding.isEnded) return;
      const nowMs = now();
      const before = leave(holding, nowMs);
      const owner = ownerOf(name, nowMs);
      advance(owner, nowMs);
      if (before === null) holding.beganMs = nowMs;
      else {
        const used = usedIn(nowMs - holding.beganMs);
        before.used = Math.max(before.used - used, 0);
        owner.used += used;
      }
      owner.inHand += 1;
      holding.owner = owner;
      begun += 1;
    },
    release: (holding) => {
      const nowMs = now();
      const owner = leave(holding, nowMs);
      holding.isEnded = true;
      if (owner === null) return;
      const tookMs = nowMs - holding.beganMs;
      owner.usualMs += (tookMs - owner.usualMs) * WEIGHT;
      usualMs += (tookMs - usualMs) * WEIGHT;
    },
    refuse: (holding) => {
      const owner = leave(holding, now());
      if (owner !== null) owner.used += Math.max(owner.usualMs, usualMs);
    },
    isOver: ({ owner }, part = 1) => owner === null || isOver(owner, part),
    add: (name, amount) => {
      const nowMs = now();
      const owner = ownerOf(name, nowMs);
      advance(owner, nowMs);
      owner.used += amount;
      begun += 1;
    },
    isOwnerOver: (name, part = 1) => isOver(ownerOf(name, now()), part),
    count: () => owners.size,
  };
};
