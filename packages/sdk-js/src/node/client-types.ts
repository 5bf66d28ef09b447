import type { AnyEvents } from '../client-types.ts';
import type { routes } from '../generated/routes.ts';
import type { EventBatchInput, EventInput, Operations, Pagination } from '../generated/wire.ts';
import type { methods } from './methods.ts';

/** A route of the API, such as `GET /events/{id}`. */
export type Route = keyof Operations & keyof typeof routes;
/** One page of a list. */
export type Page<Row> = { readonly data: readonly Row[]; readonly pagination: Pagination };
/** A list. Iterating it yields its rows, page after page, and starts again each time; `page` requests one page. */
export type Pages<Row> = AsyncIterable<Row> & {
  /** The first page, or the one of `cursor`. Throws like every call. */
  page(): Promise<Page<Row>>;
};
/** Options of any call. */
export type CallOptions = {
  /** Aborts the call and the waits between its attempts, with the signal's reason. */
  readonly signal?: AbortSignal;
};

type Traits<R extends Route> = (typeof routes)[R][number];
type Parameters<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [part: string, ...Parameters<Rest>]
  : [];
type Body<R extends Route> = 'body' extends Traits<R> ? [body: Operations[R]['body']] : [];
type Keyed<R extends Route> =
  'key' extends Traits<R>
    ? {
        /** Repeats a call of an earlier process. Default: a new key per call. */
        readonly idempotencyKey?: string;
      }
    : unknown;
type Query<R extends Route> = Operations[R]['query'] extends undefined ? unknown : Operations[R]['query'];
type Options<R extends Route> = Query<R> & Keyed<R> & CallOptions;
type LastArgument<R extends Route> =
  Record<never, never> extends Options<R> ? [options?: Options<R>] : [options: Options<R>];
type RowOf<Answer> = Answer extends readonly (infer Row)[] ? Row : never;
/** What a method resolves with. A list without pages is `{ data }`, as a page is `{ data, pagination }`. */
type Content<Answer> = Answer extends readonly (infer Row)[] ? { readonly data: readonly Row[] } : Answer;

/** Path parameters, then the body, then the query and other options of the route. */
export type Method<R extends Route> =
  'pages' extends Traits<R>
    ? (...args: [...Parameters<R>, ...LastArgument<R>]) => Pages<RowOf<Operations[R]['answer']>>
    : (...args: [...Parameters<R>, ...Body<R>, ...LastArgument<R>]) => Promise<Content<Operations[R]['answer']>>;

type Tree<Node> = { readonly [Name in keyof Node]: Node[Name] extends Route ? Method<Node[Name]> : Tree<Node[Name]> };

/** An event with a known name and its properties, which may be omitted if none is required. */
type Named<Events extends object> = {
  readonly [Name in keyof Events & string]: Omit<EventInput, 'eventType' | 'properties'> & {
    readonly eventType: Name;
  } & (Record<never, never> extends Events[Name]
      ? { readonly properties?: Events[Name] }
      : { readonly properties: Events[Name] });
}[keyof Events & string];
type BatchOf<Event> =
  | readonly Event[]
  | (Omit<Exclude<EventBatchInput, readonly unknown[]>, 'batch'> & { readonly batch: readonly Event[] });
type WithBody<Body, R extends Route> = (body: Body, ...rest: LastArgument<R>) => Promise<Operations[R]['answer']>;
type Tracking<Events extends object> = {
  readonly track: WithBody<Named<Events>, 'POST /events'>;
  readonly batch: WithBody<BatchOf<Named<Events>>, 'POST /events/batch'>;
};

/**
 * One method per route. Methods throw ApiError, and TypeError if a path parameter is empty or consists of dots.
 * `Events` maps event names to their properties.
 */
export type ServerClient<Events extends object = AnyEvents> = Omit<Tree<typeof methods>, 'events'> & {
  readonly events: Omit<Tree<(typeof methods)['events']>, keyof Tracking<Events>> & Tracking<Events>;
};
