// Caps on active workflows of a project. Writers hold the project's lock (store.ts), so the counts are still valid when
// the rows are written.

import { DEFINITION_CAPS } from '../../foundation/definition-caps.ts';
import { type Cap, capReached } from '../../foundation/errors.ts';
import type { Trigger } from './schema.ts';

type Counted = { readonly isActive: boolean; readonly trigger: Pick<Trigger, 'eventType'> };

/** A definition before and after a write; null if it does not exist. */
export type DefinitionChange = {
  readonly before: Counted | null;
  readonly after: Counted;
  /** Path of the definition in the request, such as `workflows.2`; '' if it is the request. */
  readonly path: string;
};

const eventOf = (one: Counted | null): string | null => (one?.isActive ? one.trigger.eventType : null);

/** True if the change activates a workflow, or moves an active one to another event. Throws nothing. */
export const mayPassCap = ({ before, after }: Omit<DefinitionChange, 'path'>): boolean =>
  after.isActive && eventOf(before) !== eventOf(after);

/**
 * Rejects changes that together exceed a cap. A count already above a cap may stay but not grow.
 *
 * @param active event name of each workflow that is active before
 * @throws BeckonError VALIDATION_ERROR with the path of the first workflow above a cap
 */
export const refuseAboveCaps = (active: readonly string[], changes: readonly DefinitionChange[]): void => {
  const counts = new Map<string, number>();
  for (const name of active) counts.set(name, (counts.get(name) ?? 0) + 1);
  const was = { all: active.length, of: new Map(counts) };
  let all = active.length;
  const add = (name: string | null, by: number): void => {
    if (name === null) return;
    all += by;
    counts.set(name, (counts.get(name) ?? 0) + by);
  };
  for (const { before, after } of changes) {
    add(eventOf(before), -1);
    add(eventOf(after), 1);
  }
  const refuse = (cap: Cap, field: string, grows: (change: DefinitionChange) => boolean): void => {
    const over = changes.find((change) => mayPassCap(change) && grows(change));
    if (over) throw capReached(over.path === '' ? field : `${over.path}.${field}`, cap);
  };
  if (all > DEFINITION_CAPS.activeWorkflows.max && all > was.all)
    refuse(DEFINITION_CAPS.activeWorkflows, 'isActive', ({ before }) => eventOf(before) === null);
  const full = new Set(
    [...counts].flatMap(([name, count]) =>
      count > DEFINITION_CAPS.activeWorkflowsOfEvent.max && count > (was.of.get(name) ?? 0) ? [name] : [],
    ),
  );
  if (full.size > 0)
    refuse(DEFINITION_CAPS.activeWorkflowsOfEvent, 'trigger.eventType', ({ after }) =>
      full.has(after.trigger.eventType),
    );
};
