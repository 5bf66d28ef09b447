// Writes and events of membership changes.

import { type Write, write } from '../../database/commit/write-set.ts';
import { derivedId } from '../../foundation/derived-id.ts';
import { scopeKey, scopeOf } from '../../foundation/scope.ts';
import type { CatalogEvent, Emission } from '../events/emit.ts';
import { FROM_OUTSIDE, partOf, type RunBudget } from '../events/run-budget.ts';
import type { PersonKey } from '../profiles/view.ts';
import type { LiveAudience } from './by-value.ts';
import type { Delta } from './evaluate.ts';
import type { AudienceStatements } from './statements.ts';

/** Name of the queue of checks, and its wake topic. */
export const CHECKS = 'audience checks';

/** Context of a profile's membership changes, for their events. */
export type Moved = PersonKey & {
  readonly version: number;
  readonly at: Date;
  readonly depth: number;
  /** How many runs the events may start; absent if the cause is outside Beckon. */
  readonly budget?: RunBudget | undefined;
};

/** Direction of a membership change. */
export type Way = 'joined' | 'left';
const NAMES = { joined: 'audience.entered', left: 'audience.left' } as const satisfies Record<Way, string>;

const eventOf = (
  moved: Moved,
  way: Way,
  { id, name: audienceName }: Pick<LiveAudience, 'id' | 'name'>,
): CatalogEvent => {
  const { person, version, at, depth, budget } = moved;
  const name = NAMES[way];
  return {
    id: derivedId(at, `${scopeKey(moved)}/${person}/${version}/${id}/${name}`),
    name,
    scope: scopeOf(moved),
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
export const raiseMoves = (
  into: Into,
  { hasSubscribers: isHeard, emit }: Emission,
  moved: Moved,
  way: Way,
  audiences: readonly Pick<LiveAudience, 'id' | 'name'>[],
): void => {
  if (audiences.length === 0 || !isHeard(moved, NAMES[way])) return;
  for (const audience of audiences) {
    const { writes, wakes } = emit(eventOf(moved, way, audience));
    into.writes.push(...writes);
    for (const topic of wakes) into.wakes.add(topic);
  }
};

// A build raises no events: its members joined by what they are, not by a change.
const isTold = ({ stage }: LiveAudience): boolean => stage !== 'build';

/**
 * As `raiseMoves`, for a delta without audiences that are being built. The budget is divided equally between its events
 * and their cause. Throws nothing.
 *
 * @returns the part that remains for the cause
 */
export const raiseDelta = (into: Into, emission: Emission, moved: Moved, { joins, leaves }: Delta): RunBudget => {
  const told = { joined: joins.filter(isTold), left: leaves.filter(isTold) };
  const heard = (['joined', 'left'] as const).filter((way) => emission.hasSubscribers(moved, NAMES[way]));
  const events = heard.reduce((sum, way) => sum + told[way].length, 0);
  const whole = moved.budget ?? FROM_OUTSIDE;
  const budget = events === 0 ? whole : partOf(whole, events + 1);
  for (const way of heard) raiseMoves(into, emission, { ...moved, budget }, way, told[way]);
  return budget;
};
