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
