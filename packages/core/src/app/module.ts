import type { Scope } from '../foundation/scope.ts';
import type { MaintenanceTask } from '../jobs/maintenance.ts';
import type { MakeQueue } from '../jobs/worker.ts';
import type { BoundReservation } from '../messaging/sends/deliver/reservations.ts';
import type { BoundMessageReaction } from '../messaging/sends/finalize/reactions.ts';
import type { BoundReaction } from '../people/events/pipeline.ts';
import type { Eraser } from '../platform/erasure/eraser.ts';
import type { Trace } from '../platform/erasure/erasure.ts';
import type { Expiring } from '../platform/plans/retention.ts';
import type { SealedValues } from '../platform/tenancy/rotation.ts';

/** Functions for the host program that take a scope first. The app checks each scope before the call. */
export type ScopedApi = Readonly<Record<string, (scope: Scope, ...input: never[]) => unknown>>;

/** Something that is closed with the program. */
export type Closable = { readonly name: string; close?(): void | Promise<void> };

/** What a module contributes. Every part is optional; `internal` is for other modules and has no common shape. */
export type Module = Closable & {
  readonly ingestReactions?: readonly BoundReaction[];
  /** Ingest reactions that also handle the service's own events and changed profiles. */
  readonly downstreamReactions?: readonly BoundReaction[];
  readonly messageReactions?: readonly BoundMessageReaction[];
  readonly reservations?: readonly BoundReservation[];
  readonly queues?: readonly MakeQueue[];
  readonly erasers?: readonly Eraser[];
  readonly traces?: readonly Trace[];
  /** Rows with a retention that the organization's plan sets. */
  readonly expiring?: readonly Expiring[];
  readonly maintenance?: readonly MaintenanceTask[];
  readonly sealedValues?: readonly SealedValues[];
};

/** Rejects parts that `Module` does not have: all parts are optional, so a misspelt list would be dropped silently. */
type NoOtherParts<M> = Readonly<Record<Exclude<keyof M, keyof Module | 'api' | 'openApi' | 'internal'>, never>>;

/** Modules in the order in which they are created. Checks types only. */
export const modulesOf = <Modules extends readonly Module[]>(
  ...modules: Modules & { readonly [Index in keyof Modules]: NoOtherParts<Modules[Index]> }
): readonly Module[] => modules;

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
