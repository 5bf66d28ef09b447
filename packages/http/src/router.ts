import findMyWay from 'find-my-way';
import { pathsOf } from './paths.ts';
import { isPublic, type Method, type Route } from './route.ts';

/** Characters of one parameter. Chosen: no separate limit, because the whole head is capped below it. */
const MAX_PARAM_CHARACTERS = 65_536;

/** Paths that need a closer look: an escape, a fragment, a dot segment, an empty segment, a trailing slash. */
const UNUSUAL = /[%#]|\/\.{0,2}(?:\/|$)/;

type Params = Readonly<Record<string, string | undefined>>;
type Segments = readonly string[];
type Target = {
  readonly route: Route;
  readonly isPublic: boolean;
  readonly segments: Segments;
  /** Paths of other routes that this route's parameters would also match; they never belong to this route. */
  readonly others: readonly Segments[];
  /** Routes of the same method that win where they match, although the tree finds this one first. */
  readonly rivals: readonly Target[];
};
/** A route and the decoded parameters of the path. */
export type Match = { readonly route: Route; readonly isPublic: boolean; readonly params: Params };
/** The route table as a tree. */
export type Router = {
  /** The route for a method and a raw path, for HEAD that of GET; null if there is none. Throws nothing. */
  find(method: string, path: string): Match | null;
  /** Every match of a path, for all methods. */
  findAll(path: string): readonly (Match & { readonly method: string })[];
};

const decode = (segment: string): string | null => {
  // A dot segment is never a name. `%2E` and `%2E%2E` are valid names, for clients and proxies that keep them.
  if (segment === '.' || segment === '..') return null;
  try {
    return decodeURIComponent(segment) || null;
  } catch {
    return null;
  }
};

/** Only parameters may be escaped: each resource has one path, which no intermediate proxy reads differently. */
const paramsOf = (path: string, segments: readonly string[]): Params | null => {
  const parts = path.split('/');
  if (parts.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const raw = parts[index] ?? '';
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

/** True if `other` is `own` with words in place of some of its parameters. */
const isNarrower = (other: Segments, own: Segments): boolean =>
  other.length === own.length &&
  own.every((segment, at) => segment === other[at] || (isParam(segment) && !isParam(other[at]))) &&
  own.some((segment, at) => segment !== other[at]);

const fits = (path: string, segments: Segments): boolean => {
  const parts = path.split('/');
  return parts.length === segments.length && segments.every((segment, at) => isParam(segment) || segment === parts[at]);
};

/**
 * True if neither of two overlapping paths is narrower, and `other` has the word at the last position where one has a
 * word and the other a parameter. In `/profiles/erasures/events`, `erasures` is a user id, because `events` is no id of
 * an erasure.
 */
const isRival = (other: Segments, own: Segments): boolean => {
  if (isNarrower(other, own) || isNarrower(own, other)) return false;
  const last = own.findLastIndex((segment, at) => isParam(segment) !== isParam(other[at]));
  return last >= 0 && isParam(own[last]);
};

/** One path of one route. */
type Entry = { readonly route: Route; readonly path: string; readonly segments: Segments };
/** Paths by segment: `entries` end here, `words` and `params` hold the next segments. */
type Node = { readonly entries: Entry[]; readonly words: Map<string, Node>; readonly params: Map<string, Node> };

const newNode = (): Node => ({ entries: [], words: new Map(), params: new Map() });

/**
 * Returns the paths that overlap a path, so that a request path may match both. Walks a tree of segments: comparing
 * every pair of paths took longer than everything else at the start of a server.
 */
const overlaps = (all: readonly Entry[]): ((own: Segments) => readonly Entry[]) => {
  const root = newNode();
  for (const entry of all) {
    let node = root;
    for (const segment of entry.segments) {
      const children = isParam(segment) ? node.params : node.words;
      const child = children.get(segment) ?? newNode();
      children.set(segment, child);
      node = child;
    }
    node.entries.push(entry);
  }
  return (own) => {
    let nodes: readonly Node[] = [root];
    for (const segment of own) {
      nodes = nodes.flatMap(({ words, params }) => {
        const word = words.get(segment);
        const matched = isParam(segment) ? words.values() : word ? [word] : [];
        return [...matched, ...params.values()];
      });
    }
    return nodes.flatMap(({ entries }) => entries);
  };
};

const unused = (): void => {};

/**
 * Finds routes by method and path, in both shapes.
 *
 * @param basePath the prefix of every path, except those of shape `root`
 * @throws Error for two routes of one method and path
 */
export const makeRouter = (routes: readonly Route[], basePath: string): Router => {
  const tree = findMyWay({ maxParamLength: MAX_PARAM_CHARACTERS });
  const methods = new Set<Method>(['GET', 'HEAD', ...routes.map(({ method }) => method)]);
  const entries = routes.flatMap((route) =>
    pathsOf(route, basePath).map((path): Entry => ({ route, path, segments: path.split('/') })),
  );
  const overlapping = overlaps(entries);
  const targetOf = ({ route, segments }: Entry, near: readonly Entry[], rivals: readonly Target[]): Target => {
    const others = near.filter((other) => isNarrower(other.segments, segments)).map((other) => other.segments);
    return { route, isPublic: isPublic(route), segments, others, rivals };
  };
  for (const entry of entries) {
    const near = overlapping(entry.segments);
    const rivals = near
      .filter(({ route, segments }) => route.method === entry.route.method && isRival(segments, entry.segments))
      .map((rival) => targetOf(rival, overlapping(rival.segments), []));
    tree.on(entry.route.method, entry.path, unused, targetOf(entry, near, rivals));
  }

  // Proof of the cast: the tree looks the method up in an object without prototype; an unknown one is absent.
  const look = (method: string, path: string) => tree.find(method as Method, path);

  const find = (method: string, path: string): Match | null => {
    const found = look(method, path) ?? (method === 'HEAD' ? look('GET', path) : null);
    if (found === null) return null;
    // `store` is what `on` received above.
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
