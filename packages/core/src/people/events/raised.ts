import { commitInParts, type PartPlan } from '../../database/commit/commit-planned.ts';
import { type Write, write } from '../../database/commit/write-set.ts';
import { type Claimed, claimable } from '../../database/statements/claim.ts';
import type { Storage } from '../../database/storage.ts';
import type { Clock } from '../../foundation/clock.ts';
import { anonymousIdOf, userIdOf } from '../../foundation/person.ts';
import { type ScopeDirectory, type ScopeLookup, scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { Registration } from '../../jobs/registration.ts';
import { RAISED } from './emit.ts';
import { type BoundReaction, fittingOf, type Item, newDraft, planInOrder, type Round } from './pipeline.ts';
import type { EventStatements } from './statements.ts';
import type { EventTables, RaisedRow } from './tables.ts';

/** Raised events in process at once. Chosen: they write rows and wait for no network. */
const MAX_IN_HAND = 256;

export type RaisedDeps = {
  readonly storage: Pick<Storage, 'commit'>;
  readonly tables: EventTables;
  readonly hot: Pick<EventStatements, 'endRaised'>;
  readonly clock: Clock;
  readonly scopes: ScopeDirectory;
  /** The downstream reactions, preceded by one that resolves the profile of each event. */
  readonly reactions: readonly BoundReaction[];
};

const itemOf = (scopeAt: ScopeLookup, row: RaisedRow): Item => ({
  scope: scopeAt(row.scopeId),
  kind: 'raised',
  id: row.id,
  userId: userIdOf(row.person),
  anonymousId: anonymousIdOf(row.person),
  module: row.module,
  eventType: row.eventType,
  properties: row.properties,
  traits: null,
  context: null,
  sessionId: null,
  messageId: null,
  timestamp: row.raisedAt,
  receivedAt: row.raisedAt,
  depth: row.depth,
  budget: { runs: row.runBudget, budgetRunId: row.budgetRunId },
});

/** Differs from the item's own tag, which a reaction may use for its guards. */
const endTag = (row: RaisedRow): string => `raised:${scopeKey(row)}/${row.id}`;

/**
 * The queue of raised events: passes them through the downstream reactions exactly once. The due row is deleted,
 * guarded by its fence, in the transaction of the reactions' writes. A worker that dies therefore leaves both or
 * neither.
 */
export const raisedRegistration = (deps: RaisedDeps): Registration<RaisedRow, Claimed<RaisedRow>> => {
  const { storage, hot, clock, reactions } = deps;

  const end = (row: Claimed<RaisedRow>): Write =>
    write(hot.endRaised, { ...scopeOf(row), id: row.id, fence: row.fence }, endTag(row));

  type Row = Claimed<RaisedRow>;

  /** Plans as many of the first `most` rows as fit one commit. */
  const plan = async (rows: readonly Row[], most: number, round: Round): Promise<PartPlan<Row>> => {
    const part = rows.slice(0, most);
    const scopeAt = await deps.scopes.load(new Set(part.map(({ scopeId }) => scopeId)));
    const items = part.map((row) => itemOf(scopeAt, row));
    const planners = await Promise.all(reactions.map((reaction) => reaction.load(items, round)));
    const draft = newDraft(items, clock.now());
    await planInOrder(planners, draft);
    const fitting = fittingOf(part.length, draft);
    if (fitting < part.length) return plan(rows, fitting, round);
    const { wakes, hooks } = draft;
    return {
      writes: [...part.map(end), ...draft.writes],
      wakes: [...wakes],
      hooks,
      rest: rows.slice(part.length),
    };
  };

  return {
    name: RAISED,
    claim: claimable(RAISED, deps.tables.raisedEvents),
    maxInHand: MAX_IN_HAND,
    process: async (rows, done) => {
      for (const row of rows) done(row, row);
    },
    commit: async (outcomes) => {
      const isDone = await commitInParts(storage, outcomes, {
        plan: (rows, failed) =>
          plan(rows, rows.length, { isFirstTry: failed.size === 0, isJoined: false, hasHooks: true }),
        isLost: (row, failed) => failed.has(endTag(row)),
      });
      if (!isDone) throw new Error('these people change faster than events are taken');
    },
    deadLetter: async (row) => {
      await storage.commit({ writes: [end(row)] });
    },
  };
};
