import type { Scope } from '../foundation/scope.ts';
import type { Upkeep } from '../jobs/maintenance.ts';
import type { MakeQueue } from '../jobs/worker.ts';
import type { BoundReservation } from '../messaging/sends/deliver/reservations.ts';
import type { BoundMessageReaction } from '../messaging/sends/finalize/reactions.ts';
import type { BoundReaction } from '../people/events/pipeline.ts';
import type { Eraser } from '../platform/erasure/eraser.ts';
import type { SealedValues } from '../platform/tenancy/rotation.ts';

/** Functions for the host program that take a scope first. The app checks each scope before the call. */
export type ScopedApi = Readonly<Record<string, (scope: Scope, ...input: never[]) => unknown>>;

/** What a module contributes. Every part is optional; `internal` is for other modules and has no common shape. */
export type Module = {
  readonly name: string;
  readonly ingestReactions?: readonly BoundReaction[];
  readonly messageReactions?: readonly BoundMessageReaction[];
  readonly reservations?: readonly BoundReservation[];
  readonly queues?: readonly MakeQueue[];
  readonly erasers?: readonly Eraser[];
  readonly maintenance?: readonly Upkeep[];
  readonly sealedValues?: readonly SealedValues[];
  close?(): void | Promise<void>;
};

/** Parts that are lists. */
type ListOf = {
  [Part in keyof Module]-?: NonNullable<Module[Part]> extends readonly unknown[] ? Part : never;
}[keyof Module];

/** The entries of one list of all modules, in the order of the modules. Throws nothing. */
export const collect = <Part extends ListOf>(
  modules: readonly Pick<Module, Part>[],
  part: Part,
): NonNullable<Module[Part]>[number][] =>
  // Safe: every list of this part holds entries of this part's type.
  modules.flatMap((module) => (module[part] ?? []) as NonNullable<Module[Part]>[number][]);

/**
 * Entries in the order of a list of names. The owner of a pipeline keeps the list.
 *
 * @throws Error for an entry whose name is not in the list, and for two entries of one name
 */
export const inOrder = <Entry extends { readonly name: string }>(
  order: readonly string[],
  entries: readonly Entry[],
): Entry[] => {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  if (byName.size < entries.length) throw new Error('two entries of a pipeline have one name');
  for (const name of byName.keys()) if (!order.includes(name)) throw new Error(`the order of a pipeline lacks ${name}`);
  return order.flatMap((name) => byName.get(name) ?? []);
};

/**
 * Closes modules in the reverse of the order in which they were built, each when the one behind it is closed. One that
 * throws does not keep the others open.
 *
 * @throws AggregateError with what was thrown, when all are closed
 */
export const closeAll = async (modules: readonly Pick<Module, 'name' | 'close'>[]): Promise<void> => {
  const errors: unknown[] = [];
  for (const { close } of modules.toReversed()) {
    try {
      await close?.();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'modules failed to close');
};
