// Writes and events of membership changes.

import { type Write, write } from '../../database/commit/write-set.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { CatalogEvent, LoadedEmitter } from '../events/emit.ts';
import { EXTERNAL_BUDGET, partOf, type RunBudget } from '../events/run-budget.ts';
import type { PersonKey } from '../profiles/view.ts';
import type { DynamicAudience } from './by-value.ts';
import type { Delta } from './evaluate.ts';
import type { AudienceStatements } from './statements.ts';

/** Name of the queue of checks, and its wake topic. */
export const CHECKS = 'audience checks';

/** Context of a profile's membership changes, for their events. */
export type ChangeContext = PersonKey & {
  readonly version: number;
  readonly at: Date;
  readonly depth: number;
  /** How many runs the events may start; absent if the cause is outside Beckon. */
  readonly budget?: RunBudget | undefined;
};

/** Direction of a membership change. */
export type Direction = 'joined' | 'left';
const NAMES = { joined: 'audience.entered', left: 'audience.left' } as const satisfies Record<Direction, string>;

const eventOf = (
  context: ChangeContext,
  direction: Direction,
  { id, name: audienceName }: Pick<DynamicAudience, 'id' | 'name'>,
): CatalogEvent => {
  const { person, version, at, depth, budget } = context;
  const name = NAMES[direction];
  return {
    id: derivedId(at, `${scopeKey(context)}/${person}/${version}/${id}/${name}`),
    name,
    scope: scopeOf(context),
    person,
    properties: { audienceId: id, audienceName },
    at,
    depth,
    budget,
  };
};

/** Membership rows of a delta. Throws nothing. */
export const rowsOf = (
  hot: AudienceStatements,
  key: PersonKey,
  { joins, leaves }: Delta,
  at: Date,
  tag: string,
): Write[] => {
  const { scopeId, person } = key;
  return [
    ...joins.map(({ id }) => write(hot.join, { scopeId, audienceId: id, person, joinedAt: at }, tag)),
    ...leaves.map(({ id }) => write(hot.leave, { scopeId, audienceId: id, person }, tag)),
  ];
};

/** Schedules a check of a profile. Throws nothing. */
export const checkAt = (hot: AudienceStatements, key: PersonKey, dueAt: Date): Write =>
  write(hot.check, { ...scopeOf(key), id: key.person, dueAt, fence: 0 });

type Into = { readonly writes: Write[]; readonly wakes: Set<string> };

/** Raises audience.entered or audience.left if there are subscribers. Throws nothing. */
export const raiseChanges = (
  into: Into,
  { hasSubscribers, emit }: LoadedEmitter,
  context: ChangeContext,
  direction: Direction,
  audiences: readonly Pick<DynamicAudience, 'id' | 'name'>[],
): void => {
  if (audiences.length === 0 || !hasSubscribers(context, NAMES[direction])) return;
  for (const audience of audiences) {
    const { writes, wakes } = emit(eventOf(context, direction, audience));
    into.writes.push(...writes);
    for (const topic of wakes) into.wakes.add(topic);
  }
};

// A build raises no events: its members joined by what they are, not by a change.
const raisesEvents = ({ stage }: DynamicAudience): boolean => stage !== 'build';

/**
 * As `raiseChanges`, for a delta without audiences that are being built. The budget is divided equally between its
 * events and their cause. Throws nothing.
 *
 * @returns the part that remains for the cause
 */
export const raiseDelta = (
  into: Into,
  emission: LoadedEmitter,
  context: ChangeContext,
  { joins, leaves }: Delta,
): RunBudget => {
  const reported = { joined: joins.filter(raisesEvents), left: leaves.filter(raisesEvents) };
  const subscribed = (['joined', 'left'] as const).filter((direction) =>
    emission.hasSubscribers(context, NAMES[direction]),
  );
  const events = subscribed.reduce((sum, direction) => sum + reported[direction].length, 0);
  const whole = context.budget ?? EXTERNAL_BUDGET;
  const budget = events === 0 ? whole : partOf(whole, events + 1);
  for (const direction of subscribed)
    raiseChanges(into, emission, { ...context, budget }, direction, reported[direction]);
  return budget;
};
