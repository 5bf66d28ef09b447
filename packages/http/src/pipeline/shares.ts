// Who uses how much of this process, so that under load the callers that cause it are refused and others are not. An owner
// is an org once its key is known, before that a client network. Its use is the time that its calls are in hand, which grows
// with their number and with what each costs; it halves with time. All use is compared with the mean that is weighted by use
// (what the owner of a millisecond of use has on average): owners that hardly call do not move it. One owner that floods
// lies above it and all others below; owners that use alike all reach it, as no one of them causes the load.

/** Use counts half after so long. Chosen: longer than the windows in which load is measured, shorter than its fall. */
const HALF_LIFE_MS = 3_000;
/** Owners that are remembered at most. Source: as many as client networks (client-network.ts). */
const MAX_OWNERS = 10_000;
/** The least time between two searches for owners to forget. Chosen: a search looks at all of them. */
const FORGET_MS = 1_000;
/** The mean holds for so long, or until an eighth as many calls began as there are owners. Chosen: it looks at all of them. */
const MEAN_MS = 100;
const MEAN_CALLS = 1 / 8;
/** Sums of floating-point numbers differ by less. */
const ROUNDING = 1 - 1e-9;
/** How much a call changes what a call usually takes. Chosen: the last hundred calls make it. */
const WEIGHT = 0.02;
/** What a call takes until one has ended, in milliseconds. Chosen: an event on an idle process. */
const FIRST_CALL_MS = 1;

/** What one owner uses: `used` in milliseconds of calls, as of `atMs`. */
type Owner = { inHand: number; used: number; atMs: number; usualMs: number };

/** Whose one call is at this moment. */
export type Holding = { owner: Owner | null; beganMs: number; isEnded: boolean };
/** A call that is nobody's yet. Throws nothing. */
export const newHolding = (): Holding => ({ owner: null, beganMs: 0, isEnded: false });

/** Throws nothing, any of it. */
export type Shares = {
  /** The call is this owner's alone, with the time that it took so far. Does nothing once the call has ended: what goes on behind it is late. */
  hold(holding: Holding, owner: string): void;
  /** The call has ended. */
  release(holding: Holding): void;
  /** The call is refused: it counts as if it had taken as long as its owner's others, so that a flood stays one. */
  refuse(holding: Holding): void;
  /**
   * Whether the owner of the call uses more than its share.
   *
   * @param part of the mean that owners may use: 0 to 1
   */
  isOver(holding: Holding, part?: number): boolean;
  /** Adds to the use of an owner, where it is not the time of calls that is shared. */
  add(owner: string, amount: number): void;
  /** As `isOver`, of an owner by its name. */
  isOwnerOver(owner: string, part?: number): boolean;
  /** How many owners are remembered. */
  count(): number;
};

/**
 * @param halfLifeMs use counts half after so long
 * @param now milliseconds that never go back
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
  /** What one call that has been in hand for so long adds to its owner's use: its first moments count less by now. */
  const usedIn = (ms: number): number => ((1 - leftAfter(ms)) * halfLifeMs) / Math.LN2;
  const advance = (owner: Owner, nowMs: number): void => {
    const ms = nowMs - owner.atMs;
    if (ms <= 0) return;
    owner.used = owner.used * leftAfter(ms) + owner.inHand * usedIn(ms);
    owner.atMs = nowMs;
  };
  /** A call in hand counts from its first moment: many that begin at once are many. */
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
    // Where all that are remembered have calls in hand, one more is on its own.
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
