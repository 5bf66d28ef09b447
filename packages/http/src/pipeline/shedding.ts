import { overloaded } from '@beckon/core';
import type { Load } from '../load.ts';
import type { Route } from '../route.ts';
import { fairShares, type Holding } from './shares.ts';

/** Seconds after which a call that was shed may come again; ours, the least that sign-ins are told. */
const RETRY_SECONDS = 5;
/** The same for events that are paused. Ours: delivery that is minutes late takes longer to catch up. */
const PAUSED_SECONDS = 30;
/** How long events count that an org sent. Source: load.ts, as late as what they set off may be. */
const EVENTS_HALF_LIFE_MS = 300_000;

const EVENTS = 'events';

type Shed = { readonly name: string; holds(route: Route): boolean };

/**
 * What is refused while too much is asked of the process, the first to be shed first: to callers that use more than their
 * share (shares.ts). A route is of the first entry that holds it; of none are health, callbacks of providers, unsubscribing,
 * what devices ask and single things of the dashboard. Source: semantics, Shedding order.
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

/** How many kinds have to be shed until this route is; Infinity: it never is. Throws nothing. */
export const shedAt = (route: Route): number => {
  const at = SHED_ORDER.findIndex(({ holds }) => holds(route));
  return at === -1 ? Number.POSITIVE_INFINITY : at + 1;
};

/** What a load refuses, for people; empty: nothing. Throws nothing. */
export const refusedAt = ({ level, isIngestPaused }: Load): string => {
  const names = SHED_ORDER.slice(0, level).map(({ name }) => name);
  return (isIngestPaused && level < EVENTS_AT ? [...names, EVENTS] : names).join(', ');
};

export type Shedder = {
  /**
   * From now on the call is this owner's: a client network, or an org once its key is known. Throws OVERLOADED where the
   * load lets calls of its kind pass only for owners within their share, and this one uses more.
   */
  enter(route: Route, load: Load, holding: Holding, owner: string): void;
  /** Throws OVERLOADED for events while they are paused, where the org sent more than its share of the last minutes' events. */
  checkPause(route: Route, load: Load, orgId: string): void;
  /** The org sent events that were accepted for storing. */
  countEvents(orgId: string, count: number): void;
  /** The call has ended. Throws nothing. */
  leave(holding: Holding): void;
};

/** Refuses calls by the share of those who make them. Health and callbacks are nobody's and never refused. */
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
