import type { Globals } from '../globals.ts';

/**
 * Tells when the page goes to another URL without being loaded anew.
 *
 * @param signal ends it
 * @param onNavigated called with the URL before
 */
export const onNavigation = (g: Globals, signal: AbortSignal, onNavigated: (before: string) => void): void => {
  const { window, location, history, navigation } = g;
  if (!window || !location) return;
  let url = location.href;
  const look = (): void => {
    if (signal.aborted || location.href === url) return;
    const before = url;
    url = location.href;
    onNavigated(before);
  };

  if (navigation) {
    navigation.addEventListener('navigatesuccess', look, { signal });
    return;
  }
  window.addEventListener('popstate', look, { signal });
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history?.[name];
    if (!history || !original) continue;
    const patched: History['pushState'] = (...given) => {
      original.apply(history, given);
      look();
    };
    history[name] = patched;
    signal.addEventListener('abort', () => {
      // Whoever patched it after us still calls ours.
      if (history[name] === patched) history[name] = original;
    });
  }
};
