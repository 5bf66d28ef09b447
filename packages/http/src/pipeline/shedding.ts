import { overloaded } from '@beckon/core';
import type { Load } from '../load.ts';
import type { Route } from '../route.ts';
import { fairShares, type Holding } from './shares.ts';

/** Retry-After of a shed call, in seconds. Chosen: the least that rejected sign-ins get. */
const RETRY_SECONDS = 5;
/** The same for paused events. Chosen: reactions that are minutes late take longer to catch up. */
const PAUSED_SECONDS = 30;
/** Half-life of an organization's event count. Source: load.ts, the maximum lateness of reactions to events. */
const EVENTS_HALF_LIFE_MS = 300_000;

const EVENTS = 'events';

type Shed = { readonly name: string; holds(route: Route): boolean };

/**
 * What is rejected under load, first entry first, for callers that use more than their share (shares.ts). A route
 * belongs to the first entry that contains it. In no entry: health checks, provider callbacks, unsubscribes, device
 * calls and single resources of the dashboard. Source: semantics, Shedding order.
 */
export const SHED_ORDER: readonly Shed[] = [
  { name: 'analytics', holds: ({ path }) => path.startsWith('/analytics/') },
  { name: 'lists', holds: ({ kind, answer, sheds }) => kind === 'secret' && 'page' in answer && sheds === undefined },
  { name: 'public pages', holds: ({ kind, path }) => kind === 'public' && !path.startsWith('/unsubscribe/') },
  {
    name: 'imports and previews',
    holds: ({ kind, path, sheds }) =>
      sheds === 'imports and previews' ||
      (kind === 'secret' && /\/import$|^\/audiences\/(?:preview|:id\/members)/.test(path)),
  },
  { name: 'passwords', holds: ({ sheds }) => sheds === 'passwords' },
  {
    name: 'other sign-in',
    holds: ({ kind, sheds }) => sheds === 'other sign-in' || (kind === 'signin' && sheds === undefined),
  },
  { name: EVENTS, holds: ({ kind }) => kind === 'ingest' },
  { name: 'sends', holds: ({ method, scope }) => method === 'POST' && scope !== null && scope.endsWith(':send') },
  { name: 'refresh', holds: ({ kind }) => kind === 'refresh' },
];

const EVENTS_AT = SHED_ORDER.findIndex(({ name }) => name === EVENTS) + 1;

/** The level at which a route is shed; Infinity: never. Throws nothing. */
export const shedAt = (route: Route): number => {
  const at = SHED_ORDER.findIndex(({ holds }) => holds(route));
  return at === -1 ? Number.POSITIVE_INFINITY : at + 1;
};

/** What a load rejects, for people. Empty: nothing. Throws nothing. */
export const refusedAt = ({ level, isIngestPaused }: Load): string => {
  const names = SHED_ORDER.slice(0, level).map(({ name }) => name);
  return (isIngestPaused && level < EVENTS_AT ? [...names, EVENTS] : names).join(', ');
};

export type Shedder = {
  /**
   * Assigns the call to this owner: a client network, or an organization once its key is known. Throws OVERLOADED if
   * the load admits calls of its kind only from owners within their share, and this owner is above it.
   */
  enter(route: Route, load: Load, holding: Holding, owner: string): void;
  /** Throws OVERLOADED for paused events if the organization sent more than its share of the last minutes' events. */
  checkPause(route: Route, load: Load, orgId: string): void;
  /** Counts events of the organization that were accepted for storing. */
  countEvents(orgId: string, count: number): void;
  /** The call has ended. Throws nothing. */
  leave(holding: Holding): void;
};

/** Sheds calls by the share of their callers. Health checks and callbacks have no owner and are never rejected. */
export const shedder = (routes: readonly Route[]): Shedder => {
  const levels = new Map(routes.map((route) => [route, shedAt(route)]));
  const levelOf = (route: Route): number => levels.get(route) ?? Number.POSITIVE_INFINITY;
  const shares = fairShares();
  const events = fairShares({ halfLifeMs: EVENTS_HALF_LIFE_MS });
  return {
    enter: (route, { level, part }, holding, owner) => {
      if (route.kind === 'none') return;
      shares.hold(holding, owner);
      if (level < levelOf(route) || !shares.isOver(holding, part)) return;
      shares.refuse(holding);
      throw overloaded(RETRY_SECONDS);
    },
    checkPause: (route, { isIngestPaused, ingestPart }, orgId) => {
      if (!isIngestPaused || levelOf(route) !== EVENTS_AT) return;
      events.add(orgId, 1);
      if (events.isOwnerOver(orgId, ingestPart)) throw overloaded(PAUSED_SECONDS);
    },
    countEvents: events.add,
    leave: shares.release,
  };
};
