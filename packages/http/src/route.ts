import {
  type AdapterRequest,
  type AttemptKind,
  type Beckon,
  type BodyName,
  type BodyShape,
  type CallbackBody,
  type CallKind,
  type ErrorCode,
  type Gate,
  type KeyScope,
  notFound,
  type Principal,
  type Scope,
} from '@beckon/core';
import type { Bearer, BearerNeeds } from '@beckon/core/identity';
import type { z } from 'zod';
import type { Load } from './load.ts';
import type { AnswerName } from './openapi/answers.ts';
import type { Answer } from './pipeline/envelope.ts';
import type { RequestView } from './request.ts';

/** Maximum bytes of a body on routes without their own cap. Source: interface, Request body caps. */
export const DEFAULT_BODY_CAP = 1_048_576;

/** Kinds of calls of the rate limits; each has its own time budget. Source: semantics, Rate limits and Deadlines. */
export type Kind = CallKind | 'none';
/** Methods of routes. OPTIONS is answered for public paths without being a route. */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Arguments of a route that needs no key. */
export type OpenCall = {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
};
/**
 * Parsed JSON on its way to the engine that validates it. It is assignable to every input type, because no schema has
 * checked it; a route passes it on and reads nothing from it.
 */
export type Unvalidated = never;
/** Arguments of a route of an organization; `body` is undefined if there is none. */
export type OrgCall = OpenCall & {
  readonly principal: Principal;
  readonly orgId: string;
  readonly body: Unvalidated;
};
/** A request with an idempotency key. */
export type NamedCall = Pick<AdapterRequest, 'operation' | 'bodyHash'> & { readonly key: string };
/** Arguments of a route of one project and environment; `body` is undefined if there is none. */
export type ProjectCall = OpenCall & {
  /** The signed-in user of the access token; null on routes without `user` and `mayHaveUser`, and without a token. */
  readonly user: Bearer | null;
  /** Id of the key that the request came with. */
  readonly keyId: string;
  /** Where the request comes from. */
  readonly client: {
    readonly ip: string | null;
    readonly userAgent: string | null;
    /** Aborted when the client has left; only on routes that wait for a password hash. */
    readonly signal?: AbortSignal | undefined;
  };
  readonly scope: Scope;
  /** The kind of the request's key. */
  readonly keyKind: Principal['kind'];
  readonly body: Unvalidated;
  /** Length of the body as sent; 0 if there is none. */
  readonly bodyBytes: number;
  /** The request's idempotency key; null if it has none or the route takes none. */
  readonly idempotency: NamedCall | null;
};

/**
 * The successful response of a route: data in the envelope for its status, or a page of a list; else bytes of a media
 * type, or a redirect. `doubled`: data in the envelope and its fields beside it, for standard clients without an envelope.
 */
export type AnswerForm =
  | { readonly 200?: AnswerName; readonly 201?: AnswerName }
  | { readonly page: AnswerName }
  | { readonly doubled: AnswerName; readonly fields: readonly string[] }
  | {
      readonly bytes:
        | 'image/gif'
        | 'application/json'
        | 'application/samlmetadata+xml'
        | 'application/scim+json'
        | 'text/html'
        | 'text/javascript';
      /** Default: 200. */
      readonly status?: 201 | 204;
    }
  | { readonly redirect: 302 | 303 };

/** Steps of load shedding that a route may name. Source: semantics, Shedding order. */
export type ShedStep = 'imports and previews' | 'passwords' | 'other sign-in' | 'refresh';

type Common = {
  readonly method: Method;
  /** Below the base path, with `:name` for a parameter. */
  readonly path: string;
  readonly kind: Kind;
  /**
   * Counted by client network before anything else is checked. Absent: not counted. `callback` is counted by the route
   * itself, afterwards, and only for what it rejects.
   */
  readonly attempts?: Exclude<AttemptKind, 'key'>;
  /** `both`: also below `/orgs/:orgId`. `auto`: the interface's exceptions. `root`: not below the base path. */
  readonly shape: 'both' | 'auto' | 'root';
  /** The step of load shedding that refuses it; absent: the one that follows from its kind and path. */
  readonly sheds?: ShedStep;
  /** What it does, in one line without a full stop. */
  readonly summary: string;
  /** Further facts for callers, as sentences. */
  readonly description?: string;
  readonly answer: AnswerForm;
  /** Errors are bodies of this protocol, those of the pipeline too. Absent: the envelope. */
  readonly errorForm?: 'scim';
  /** Query parameters besides those that the pipeline handles. Absent: the route reads none. */
  readonly query?: z.ZodObject;
  /** Error codes besides those that follow from the rest of its row. */
  readonly errors?: readonly ErrorCode[];
};
type Keyed = Common & {
  /** The scope that a key must have. */
  readonly scope: KeyScope;
  /** `?channel=` selects the scope `<channel>:read`; `scope` applies without it. */
  readonly isScopedByChannel?: true;
  /** A key of the other environment gets 404. */
  readonly environment?: 'test';
  /** The feature that the organization's plan must include, or the feature per field of the body. */
  readonly plan?: Gate | Readonly<Record<string, Gate>>;
};

/** A request as sent, for routes that authenticate it themselves. Its body has not been read yet. */
export type Sent = Pick<RequestView, 'method' | 'path' | 'query' | 'header'> & {
  /** Up to the route's `bodyCap`; empty if it has none. */
  readonly body: CallbackBody;
};

/** A form as browsers and mail clients send it; empty if there was no body. */
export type Form = URLSearchParams;

/** A route that needs no key. */
export type OpenRoute = Common & {
  readonly needs: 'nothing';
  readonly scope: null;
  /** Maximum bytes of a body of any type, which the route reads itself. Absent: no body is read. */
  readonly bodyCap?: number;
  /** Maximum bytes of a form. Absent: no form is read. */
  readonly formCap?: number;
  run(
    beckon: Beckon,
    call: OpenCall & {
      readonly basePath: string;
      readonly sent: Sent;
      readonly form: Form;
      readonly load: Load;
      /** The client network; empty on routes of kind `none` that do not count by it. */
      readonly network: string;
    },
  ): Promise<Answer>;
};
/** Needs a key with a grant for the organization. */
export type OrgRoute = Keyed & {
  readonly needs: 'org';
  /** Bytes; null: the route reads no body. */
  readonly bodyCap: number | null;
  /** The type of the body, for routes that read one. */
  readonly takes?: BodyName;
  run(beckon: Beckon, call: OrgCall): Promise<Answer>;
};
/** Needs a key with a grant for the project. */
export type ProjectRoute = Keyed & {
  readonly needs: 'project';
  /** Bytes; null: the route reads no body. */
  readonly bodyCap: number | null;
  /** The type of the body, for routes that read one. */
  readonly takes?: BodyName;
  /**
   * The part of the body that it reads: the rest of a large body is not parsed. Every public route with a large cap has
   * it.
   */
  readonly reads?: BodyShape;
  /** The whole body belongs to the engine, so only the query may name the project. */
  readonly isBodyWhole?: true;
  /** Takes the header `Idempotency-Key`. */
  readonly isIdempotent?: true;
  /**
   * Needs an access token of an end user in `Authorization: Bearer`. `fresh`: the sign-in or the last step-up is at most 10
   * minutes old.
   */
  readonly user?: BearerNeeds;
  /** Reads an access token of an end user if the request has one. */
  readonly mayHaveUser?: true;
  /** Made for a page that is being unloaded: takes `?key=` (public keys) and `text/plain`. */
  readonly isBeacon?: true;
  run(beckon: Beckon, call: ProjectCall): Promise<Answer>;
};

/** Properties of every route that reads from a project with a secret key. */
export const reading = <Scope extends KeyScope>(scope: Scope) =>
  ({ method: 'GET', shape: 'both', kind: 'secret', scope, needs: 'project', bodyCap: null }) as const;

/** Plan features of sends. Source: interface, Plan gates. */
export const SEND_PLAN = {
  audienceId: 'audienceSends',
  scheduledFor: 'scheduledSends',
  abTestId: 'abTests',
  templateId: 'templates',
} as const satisfies Readonly<Record<string, Gate>>;

/** One row of the route table. */
export type Route = OpenRoute | OrgRoute | ProjectRoute;

/**
 * True if browsers of any origin may read the responses: exactly the routes that a public key's scopes open. Throws
 * nothing.
 * Source: contract, Routes.
 */
export const isPublic = (route: Route): boolean => route.scope === 'events.write' || route.scope === 'tokens:write';

/**
 * The user of a route that needs one.
 *
 * @throws TypeError for a route without `user`, which is a fault of the route table
 */
export const userOf = ({ user }: ProjectCall): Bearer => {
  if (user === null) throw new TypeError('This route needs `user` in its row.');
  return user;
};

/**
 * A parameter of the path, decoded.
 *
 * @throws BeckonError NOT_FOUND when the route has no such parameter
 */
export const param = (call: OpenCall, name: string): string => {
  const value = call.params[name];
  if (value === undefined) throw notFound();
  return value;
};
