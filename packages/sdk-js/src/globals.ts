/**
 * The globals that the client uses: `globalThis`, or a test's replacement. What a server or a worker lacks may be
 * absent.
 */
export type Globals = Pick<
  typeof globalThis,
  'setTimeout' | 'clearTimeout' | 'Date' | 'performance' | 'crypto' | 'fetch' | 'Math'
> & {
  readonly console?: Pick<Console, 'warn'> | undefined;
  readonly window?: EventTarget | undefined;
  /** The DOM types lack this property of a prerendered page. */
  readonly document?: (Document & { readonly prerendering?: boolean }) | undefined;
  readonly navigator?: Partial<Navigator> | undefined;
  readonly localStorage?: Storage | undefined;
  readonly location?: Location | undefined;
  readonly history?: History | undefined;
  readonly navigation?: EventTarget | undefined;
  readonly caches?: CacheStorage | undefined;
  readonly PushManager?: unknown;
  readonly Notification?: Pick<typeof Notification, 'permission' | 'requestPermission'> | undefined;
};
