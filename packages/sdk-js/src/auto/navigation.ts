import type { Globals } from '../globals.ts';

/**
 * Reports navigation to another URL without a page load.
 *
 * @param signal ends it
 * @param onNavigated called with the previous URL
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
      // Code that patched it after us still calls our patch.
      if (history[name] === patched) history[name] = original;
    });
  }
};
