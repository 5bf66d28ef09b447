// One operation of the interface, wherever it is carried out: on the database of the configuration, or by a running service.

import type { Beckon, Environment, Page, Scope } from '@beckon/core';
import type { OperationAnswer, OperationInput } from '@beckon/http';
import type { Operations } from '@beckon/sdk-js/node';

/** The method and path of a route, such as `GET /events/{id}`. */
export type Operation = keyof Operations;
/** What its answer holds, as JSON has it: times are texts. */
export type Answer<R extends Operation> = Operations[R]['answer'];
/** One row of a list. */
export type RowOf<R extends Operation> = Answer<R> extends readonly (infer Row)[] ? Row : never;
/** What its body holds. */
export type Body<R extends Operation> = Operations[R]['body'];
/** Fields of its query and its body. */
export type FieldOf<R extends Operation> = R extends unknown
  ? (keyof NonNullable<Operations[R]['query']> | keyof NonNullable<Operations[R]['body']>) & string
  : never;

type OrUndefined<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
export type Input<R extends Operation> = {
  /** The parts of its path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: OrUndefined<NonNullable<Operations[R]['query']>>;
  readonly body?: Operations[R]['body'];
};

/** Operations in one environment. Each throws what the engine throws, or CliError. */
export type Api = {
  readonly environment: Environment;
  call<R extends Operation>(operation: R, input?: Input<R>): Promise<Answer<R>>;
  page<R extends Operation>(operation: R, input?: Input<R>): Promise<Page<RowOf<R>>>;
  /** The answer with the hash of its ETag; null: it has none. */
  tagged<R extends Operation>(operation: R, input?: Input<R>): Promise<{ data: Answer<R>; etag: string | null }>;
};

/** Executes an operation. */
export type Execute = (operation: string, input: OperationInput) => Promise<OperationAnswer>;

/** The interface over what executes its operations. */
export const apiOf = (environment: Environment, execute: Execute): Api => {
  const send = async (operation: string, input: object = {}): Promise<never> => {
    // Proof of the cast: the types of operations are made of the schemas that their answers are described by.
    return (await execute(operation, input)) as never;
  };
  return {
    environment,
    call: async (operation, input) => {
      const { data }: { readonly data: never } = await send(operation, input);
      return data;
    },
    page: (operation, input) => send(operation, input),
    tagged: (operation, input) => send(operation, input),
  };
};

/** The interface over a database. */
export const localApi = (beckon: Beckon, scope: Scope): Api =>
  apiOf(scope.environment, async (operation, input) => {
    const { callOperation } = await import('@beckon/http');
    return callOperation(beckon, scope, operation, input);
  });
