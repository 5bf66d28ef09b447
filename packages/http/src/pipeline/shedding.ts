import { overloaded } from '@beckon/core';
import type { Load } from '../load.ts';
import type { Route } from '../route.ts';

/** Seconds after which a call that was shed may come again; ours, the least that sign-ins are told. */
const RETRY_SECONDS = 5;
/** The same for events that are paused. Ours: delivery that is minutes late takes longer to catch up. */
const PAUSED_SECONDS = 30;

const EVENTS = 'events';

type Shed = { readonly name: string; holds(route: Route): boolean };

/**
 * What is refused while too much is asked of the process, the first to be shed first. A route is of the first that holds it;
 * of none are health, callbacks of providers, unsubscribing, what devices ask and single things of the dashboard. Source:
 * semantics, Shedding order.
 */
export const SHED_ORDER: readonly Shed[] = [
  { name: 'analytics', holds: ({ path }) => path.startsWith('/analytics/') },
  { name: 'lists', holds: ({ kind, answer }) => kind === 'secret' && 'page' in answer },
  { name: 'public pages', holds: ({ kind, path }) => kind === 'public' && !path.startsWith('/unsubscribe/') },
  {
    name: 'imports and previews',
    holds: ({ kind, path }) => kind === 'secret' && /\/import$|^\/audiences\/(?:preview|:id\/members)/.test(path),
  },
  { name: 'passwords', holds: ({ kind, attempts }) => kind === 'signin' && attempts === 'signin' },
  { name: 'other sign-in', holds: ({ kind }) => kind === 'signin' },
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

/** Refuses a call that the load does not let pass. Throws OVERLOADED, nothing else. */
export const shedder = (routes: readonly Route[]): ((route: Route, load: Load) => void) => {
  const levels = new Map(routes.map((route) => [route, shedAt(route)]));
  return (route, { level, isIngestPaused }) => {
    if (level === 0 && !isIngestPaused) return;
    const at = levels.get(route) ?? Number.POSITIVE_INFINITY;
    if (level >= at) throw overloaded(RETRY_SECONDS);
    if (isIngestPaused && at === EVENTS_AT) throw overloaded(PAUSED_SECONDS);
  };
};
