// Operations of the API, executed on the configured database or by a running server.

import type { Beckon, Environment, Page, Scope } from '@beckon/core';
import type { OperationAnswer, OperationInput } from '@beckon/http';
import type { Operations } from '@beckon/sdk-js/node';

/** The method and path of a route, such as `GET /events/{id}`. */
export type Operation = keyof Operations;
/** The data of the response as JSON has it: times are strings. */
export type Answer<R extends Operation> = Operations[R]['answer'];
/** One row of a list. */
export type RowOf<R extends Operation> = Answer<R> extends readonly (infer Row)[] ? Row : never;
/** The request body. */
export type Body<R extends Operation> = Operations[R]['body'];
/** Names of the fields of query and body. */
export type FieldOf<R extends Operation> = R extends unknown
  ? (keyof NonNullable<Operations[R]['query']> | keyof NonNullable<Operations[R]['body']>) & string
  : never;

type OrUndefined<T> = { readonly [Name in keyof T]?: T[Name] | undefined };
export type Input<R extends Operation> = {
  /** Path parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: OrUndefined<NonNullable<Operations[R]['query']>>;
  readonly body?: Operations[R]['body'];
};

/** Operations in one environment. Each throws the errors of core, or CliError. */
export type Api = {
  readonly environment: Environment;
  call<R extends Operation>(operation: R, input?: Input<R>): Promise<Answer<R>>;
  page<R extends Operation>(operation: R, input?: Input<R>): Promise<Page<RowOf<R>>>;
  /** The response and its ETag; null: there is no ETag. */
  tagged<R extends Operation>(operation: R, input?: Input<R>): Promise<{ data: Answer<R>; etag: string | null }>;
};

/** Executes an operation. */
export type Execute = (operation: string, input: OperationInput) => Promise<OperationAnswer>;

/** An API client over a function that executes operations. */
export const apiOf = (environment: Environment, execute: Execute): Api => {
  const send = async (operation: string, input: object = {}): Promise<never> => {
    // Proof of the cast: the types of operations are generated from the schemas of their responses.
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

/** An API client that executes operations in this process, on a database. */
export const localApi = (beckon: Beckon, scope: Scope): Api =>
  apiOf(scope.environment, async (operation, input) => {
    const { callOperation } = await import('@beckon/http');
    return callOperation(beckon, scope, operation, input);
  });
