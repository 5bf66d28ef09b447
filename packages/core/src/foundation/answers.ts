// Answers are zod schemas: the one source of their types, the API description, the SDK's types and the reference.
// Nothing validates answers in production, so schemas are built on first use and not at import.

import { z } from 'zod';
import { ENVIRONMENTS } from './scope.ts';

/** What a schema yields, read-only at every level. */
type ReadOnly<T> = T extends Date ? T : T extends object ? { readonly [Key in keyof T]: ReadOnly<T[Key]> } : T;
/** The schema, if it yields exactly this type; otherwise nothing fits. */
type Yielding<Type, Schema extends z.ZodType> = [ReadOnly<z.output<Schema>>] extends [ReadOnly<Type>]
  ? [ReadOnly<Type>] extends [ReadOnly<z.output<Schema>>]
    ? Schema
    : never
  : never;

/** Schemas by the names of their types. */
export type AnswerSchemas<Types> = { readonly [Name in keyof Types]: z.ZodType<Types[Name]> };

/**
 * Declares the answers of a module. A schema that differs from its generated type does not compile.
 *
 * @returns a function that builds the schemas at its first call and returns the same ones afterwards
 */
export const answersOf =
  <Types extends object>() =>
  <Schemas extends { readonly [Name in keyof Types]: z.ZodType }>(
    make: () => Schemas & { readonly [Name in keyof Types]: Yielding<Types[Name], Schemas[Name]> },
  ): (() => AnswerSchemas<Types>) => {
    let made: AnswerSchemas<Types> | undefined;
    return () => {
      // Safe: `Yielding` is the proof.
      made ??= make() as AnswerSchemas<Types>;
      return made;
    };
  };

/** JSON that the caller chose. */
export const freeForm = () => z.record(z.string(), z.unknown());

/** The members of an answer that name its organization and project. */
export const projectFields = (noun: string) => ({
  orgId: z.uuid().describe(`Organization of the ${noun}.`),
  projectId: z.uuid().describe(`Project of the ${noun}.`),
});

/** The members of an answer that name its organization, project and environment. */
export const scopeFields = (noun: string) => ({
  ...projectFields(noun),
  environment: z.enum(ENVIRONMENTS).describe(`Environment of the ${noun}.`),
});
