import findMyWay from 'find-my-way';
import { pathsOf } from './paths.ts';
import { isPublic, type Method, type Route } from './route.ts';

/** Characters of one parameter. Ours: no limit of its own, since the whole head is capped below it. */
const MAX_PARAM_CHARACTERS = 65_536;

/** What needs a second look: an escape, a fragment, a dot segment, an empty segment, a slash at the end. */
const UNUSUAL = /[%#]|\/\.{0,2}(?:\/|$)/;

type Params = Readonly<Record<string, string | undefined>>;
type Segments = readonly string[];
type Target = {
  readonly route: Route;
  readonly isPublic: boolean;
  readonly segments: Segments;
  /** Paths of other routes that this one's parameters would also match; they are never this route's. */
  readonly others: readonly Segments[];
  /** Of the same method: what these match is theirs, although the tree comes to this one first. */
  readonly rivals: readonly Target[];
};
/** A route and the decoded parameters of the path that led to it. */
export type Match = { readonly route: Route; readonly isPublic: boolean; readonly params: Params };
/** The route table as a tree. */
export type Router = {
  /** The route for a method and a raw path, of HEAD that of GET; null when there is none. Throws nothing. */
  find(method: string, path: string): Match | null;
  /** Every match of a path, over all methods. */
  findAll(path: string): readonly (Match & { readonly method: string })[];
};

const decode = (segment: string): string | null => {
  // A dot segment is never a name; `%2E` and `%2E%2E` are, for clients and proxies that leave them as they are.
  if (segment === '.' || segment === '..') return null;
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    return null;
  }
};

/** Only parameters may be escaped: one resource has one path, and no proxy in between reads it differently. */
const paramsOf = (path: string, segments: readonly string[]): Params | null => {
  const given = path.split('/');
  if (given.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const raw = given[index] ?? '';
    if (!segment.startsWith(':')) {
      if (raw !== segment) return null;
      continue;
    }
    const value = raw.includes('#') ? null : decode(raw);
    if (value === null) return null;
    params[segment.slice(1)] = value;
  }
  return params;
};

const isParam = (segment: string | undefined): boolean => segment?.startsWith(':') === true;

/** True where `other` is `own` with words in place of some of its parameters. */
const isNarrower = (other: Segments, own: Segments): boolean =>
  other.length === own.length &&
  own.every((segment, at) => segment === other[at] || (isParam(segment) && !isParam(other[at]))) &&
  own.some((segment, at) => segment !== other[at]);

const meets = (one: string, other: string | undefined): boolean => one === other || isParam(one) || isParam(other);

const fits = (path: string, segments: Segments): boolean => {
  const given = path.split('/');
  return given.length === segments.length && segments.every((segment, at) => isParam(segment) || segment === given[at]);
};

/**
 * True where one path may be both, neither is narrower, and `other` has the word at the last place where one has a word
 * and one a parameter: of `/profiles/erasures/events` a name is `erasures`, since `events` is no id of an erasure.
 */
const isRival = (other: Segments, own: Segments): boolean => {
  const fitsBoth = other.length === own.length && own.every((segment, at) => meets(segment, other[at]));
  if (!fitsBoth || isNarrower(other, own) || isNarrower(own, other)) return false;
  const last = own.findLastIndex((segment, at) => isParam(segment) !== isParam(other[at]));
  return last >= 0 && isParam(own[last]);
};

const unused = (): void => {};

/**
 * Finds routes by method and path, both shapes.
 *
 * @param basePath what every path begins with, except those of shape `root`
 * @throws Error for two routes of one method and path
 */
export const makeRouter = (routes: readonly Route[], basePath: string): Router => {
  const tree = findMyWay({ maxParamLength: MAX_PARAM_CHARACTERS });
  const methods = new Set<Method>(['GET', 'HEAD']);
  const paths = routes.flatMap((route) => pathsOf(route, basePath)).map((path) => path.split('/'));
  const targetOf = (route: Route, path: string, rivals: readonly Target[]): Target => {
    const segments = path.split('/');
    const others = paths.filter((other) => isNarrower(other, segments));
    return { route, isPublic: isPublic(route), segments, others, rivals };
  };
  for (const route of routes) {
    methods.add(route.method);
    const sameMethod = routes.filter(({ method }) => method === route.method);
    for (const path of pathsOf(route, basePath)) {
      const rivals = sameMethod.flatMap((rival) =>
        pathsOf(rival, basePath)
          .filter((other) => isRival(other.split('/'), path.split('/')))
          .map((other) => targetOf(rival, other, [])),
      );
      tree.on(route.method, path, unused, targetOf(route, path, rivals));
    }
  }

  // Proof of the cast: the tree looks the method up in an object without prototype; an unknown one is simply absent.
  const look = (method: string, path: string) => tree.find(method as Method, path);

  const find = (method: string, path: string): Match | null => {
    const found = look(method, path) ?? (method === 'HEAD' ? look('GET', path) : null);
    if (found === null) return null;
    // `store` is what `on` was given above.
    const first: Target = found.store;
    const target = first.rivals.find(({ segments }) => fits(path, segments)) ?? first;
    if (target.others.some((segments) => fits(path, segments))) return null;
    const params = UNUSUAL.test(path) || target !== first ? paramsOf(path, target.segments) : found.params;
    return params && { route: target.route, isPublic: target.isPublic, params };
  };

  return {
    find,
    findAll: (path) =>
      [...methods].flatMap((method) => {
        const match = find(method, path);
        return match ? [{ ...match, method }] : [];
      }),
  };
};
