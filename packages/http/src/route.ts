import {
  type AdapterRequest,
  type AttemptKind,
  type Bearer,
  type BearerNeeds,
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
import type { z } from 'zod';
import type { Load } from './load.ts';
import type { AnswerName } from './openapi/answers.ts';
import type { Answer } from './pipeline/envelope.ts';
import type { RequestView } from './request.ts';

/** Bytes of a body on routes that name no cap of their own. Source: interface, Request body caps. */
export const DEFAULT_BODY_CAP = 1_048_576;

/** The call kinds of the rate limits; each also has its time budget. Source: semantics, Rate limits and Deadlines. */
export type Kind = CallKind | 'none';
/** Methods that routes have; OPTIONS is answered for public paths without being a route. */
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a route without a key is given. */
export type OpenCall = {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
};
/**
 * Parsed JSON on its way to the engine that validates it. It fits every input type, since no schema has looked at it;
 * a route passes it on and looks at nothing of it.
 */
export type Unvalidated = never;
/** What a route that acts for a whole org is given; `body` is undefined where there is none. */
export type OrgCall = OpenCall & {
  readonly principal: Principal;
  readonly orgId: string;
  readonly body: Unvalidated;
};
/** A request that named itself. */
export type NamedCall = Pick<AdapterRequest, 'operation' | 'bodyHash'> & { readonly key: string };
/** What a route that acts for one project and environment is given; `body` is undefined where there is none. */
export type ProjectCall = OpenCall & {
  /** The signed-in user of the access token; null on routes without `user`. */
  readonly user: Bearer | null;
  /** Id of the key that the request came with. */
  readonly keyId: string;
  /** Where the request comes from. */
  readonly client: { readonly ip: string | null; readonly userAgent: string | null };
  readonly scope: Scope;
  /** The kind of the key that the request came with. */
  readonly keyKind: Principal['kind'];
  readonly body: Unvalidated;
  /** Length of the body as it was sent; 0 where there is none. */
  readonly bodyBytes: number;
  /** The request's own name for itself; null where it has none, or the route takes none. */
  readonly idempotency: NamedCall | null;
};

/**
 * What a route answers when all goes well: in the envelope what each status comes with, or a page of a list; `doubled`: in
 * the envelope, and its fields beside it, for standard clients that know no envelope; else bytes of a media type, or
 * nothing but where to go.
 */
export type AnswerForm =
  | { readonly 200?: AnswerName; readonly 201?: AnswerName }
  | { readonly page: AnswerName }
  | { readonly doubled: AnswerName; readonly fields: readonly string[] }
  | { readonly bytes: 'image/gif' | 'application/json' | 'text/html' | 'text/javascript' }
  | { readonly redirect: true };

/** Steps of load shedding that a route may name. Source: semantics, Shedding order. */
export type ShedStep = 'imports and previews' | 'passwords' | 'other sign-in' | 'refresh';

type Common = {
  readonly method: Method;
  /** Below the base path, with `:name` for a parameter. */
  readonly path: string;
  readonly kind: Kind;
  /**
   * Counted by client network before anything else is looked at; absent: nothing is. `callback` is counted by the route
   * itself, afterwards, and of what it does not accept alone.
   */
  readonly attempts?: Exclude<AttemptKind, 'key'>;
  /** `both`: also below `/orgs/:orgId`. `auto`: the interface's exceptions. `root`: not below the base path. */
  readonly shape: 'both' | 'auto' | 'root';
  /** The step of load shedding that refuses it; absent: the one that follows from its kind and path. */
  readonly sheds?: ShedStep;
  /** What it does, in one line without a full stop. */
  readonly summary: string;
  /** What a caller has to know besides, as sentences. */
  readonly description?: string;
  readonly answer: AnswerForm;
  /** What its query may hold besides what the pipeline takes; absent: nothing that is read. */
  readonly query?: z.ZodObject;
  /** Codes that it may answer beside those that follow from the rest of its row. */
  readonly errors?: readonly ErrorCode[];
};
type Keyed = Common & {
  /** The scope that a key must hold. */
  readonly scope: KeyScope;
  /** `?channel=` chooses the scope, `<channel>:read`; `scope` holds where it is absent. */
  readonly isScopedByChannel?: true;
  /** A key of the other environment is answered 404. */
  readonly environment?: 'test';
  /** What the org's plan has to open, or what for fields of the body. */
  readonly plan?: Gate | Readonly<Record<string, Gate>>;
};

/** A request as it was sent, for routes that check it themselves. None of its body is read yet. */
export type Sent = Pick<RequestView, 'method' | 'path' | 'query' | 'header'> & {
  /** Up to the route's `bodyCap`; empty where it has none. */
  readonly body: CallbackBody;
};

/** A form as browsers and mail programs send it; empty where the body was none. */
export type Form = URLSearchParams;

/** Anybody may call it. */
export type OpenRoute = Common & {
  readonly needs: 'nothing';
  readonly scope: null;
  /** Bytes of a body of any type, which the route reads itself; absent: there is none. */
  readonly bodyCap?: number;
  /** Bytes of a form that it reads; absent: it reads no body. */
  readonly formCap?: number;
  run(
    beckon: Beckon,
    call: OpenCall & {
      readonly basePath: string;
      readonly sent: Sent;
      readonly form: Form;
      readonly load: Load;
      /** Where the call is from; empty on routes of kind `none` that count nothing by it. */
      readonly network: string;
    },
  ): Promise<Answer>;
};
/** Needs a key with a grant for the org. */
export type OrgRoute = Keyed & {
  readonly needs: 'org';
  /** Bytes; null: the route reads no body. */
  readonly bodyCap: number | null;
  /** The type of its body; of routes that read one. */
  readonly takes?: BodyName;
  run(beckon: Beckon, call: OrgCall): Promise<Answer>;
};
/** Needs a key with a grant for the project. */
export type ProjectRoute = Keyed & {
  readonly needs: 'project';
  /** Bytes; null: the route reads no body. */
  readonly bodyCap: number | null;
  /** The type of its body; of routes that read one. */
  readonly takes?: BodyName;
  /** What it reads of its body: the rest of a large one is not parsed. Every public route with a large cap has it. */
  readonly reads?: BodyShape;
  /** The body belongs to the engine whole, so only the query may name the project. */
  readonly isBodyWhole?: true;
  /** Takes the header `Idempotency-Key`. */
  readonly isIdempotent?: true;
  /**
   * Needs an access token of an end user in `Authorization: Bearer`. `fresh`: the sign-in or the last step-up is at most 10
   * minutes old.
   */
  readonly user?: BearerNeeds;
  /** Made for a page that is being unloaded: takes `?key=` (public keys) and `text/plain`. */
  readonly isBeacon?: true;
  run(beckon: Beckon, call: ProjectCall): Promise<Answer>;
};

/** What routes have in common that read something of a project with a secret key. */
export const reading = <Scope extends KeyScope>(scope: Scope) =>
  ({ method: 'GET', shape: 'both', kind: 'secret', scope, needs: 'project', bodyCap: null }) as const;

/** What sends have of a plan. Source: interface, Plan gates. */
export const SEND_PLAN = {
  audienceId: 'audienceSends',
  scheduledFor: 'scheduledSends',
  abTestId: 'abTests',
  templateId: 'templates',
} as const satisfies Readonly<Record<string, Gate>>;

/** One row of the route table. */
export type Route = OpenRoute | OrgRoute | ProjectRoute;

/**
 * Tells whether browsers of any origin may read the answers: exactly the routes that a public key's scopes open.
 * Throws nothing. Source: contract, Routes.
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
