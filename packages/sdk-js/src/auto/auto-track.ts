import { internalsOf, SHOWN } from '../internals.ts';
import { pageOf } from '../page.ts';
import { onNavigation } from './navigation.ts';

/** Source: sdk, Auto-tracking. */
const SESSION_GAP_MS = 30 * 60_000;
const MAX_TEXT = 100;
/**
 * Activity within this time of the last one is not stored again. Chosen: few writes, and small against the session gap.
 */
const ACTIVITY_STEP_MS = 1_000;
const SLOT = 'active';
const IGNORED = '[data-beckon-ignore]';
const ACTIVITIES = ['click', 'keydown', 'scroll'] as const;

/**
 * Tracks `page.viewed`, `session.started`, `link.clicked`, `app.foregrounded` and `app.backgrounded` of this page until
 * the client is closed. Ignores elements below `data-beckon-ignore`. Does nothing without a document.
 *
 * @param client created by `createClient`. Throws TypeError for anything else.
 */
export const autoTrack = (client: object): void => {
  const { g, slots, trackAuto, on, signal } = internalsOf(client);
  const { document } = g;
  if (!document) return;
  // A prerendered page counts as viewed, and its user as active, when it is shown.
  if (document.prerendering) {
    on(SHOWN, () => autoTrack(client), true);
    return;
  }
  let active = 0;

  const beActive = (): void => {
    const now = g.Date.now();
    if (Math.abs(now - active) < ACTIVITY_STEP_MS) return;
    // Another page of the site may have been active meanwhile.
    const last = Number(slots.get(SLOT));
    active = now;
    slots.set(SLOT, String(now));
    if (now - last >= SESSION_GAP_MS) trackAuto('session.started', {});
  };

  const onClick = (event: Event): void => {
    const elements = event.composedPath().filter((target): target is Element => 'matches' in target);
    const link = elements.find((element): element is HTMLAnchorElement => element.matches('a[href]'));
    if (!link || elements.some((element) => element.matches(IGNORED))) return;
    const text = (link.textContent ?? '').trim().slice(0, MAX_TEXT);
    trackAuto('link.clicked', { href: link.href, text });
  };

  beActive();
  trackAuto('page.viewed', pageOf(g));
  onNavigation(g, signal, (before) => {
    beActive();
    trackAuto('page.viewed', pageOf(g, before));
  });
  for (const type of ACTIVITIES) on(type, beActive, true);
  on('click', onClick, true);
  const onVisibility = (): void => {
    const isVisible = document.visibilityState === 'visible';
    if (isVisible) beActive();
    trackAuto(isVisible ? 'app.foregrounded' : 'app.backgrounded', {});
  };
  on('visibilitychange', onVisibility, true);
};
