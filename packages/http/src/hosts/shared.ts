import type { HandlerOptions } from '../handler.ts';

/** Options of adapters that add routes to an app themselves. */
export type HostOptions = HandlerOptions & {
  /** Also serves `/healthz` and `/readyz`. Default: false, because many apps have such routes of their own. */
  readonly health?: boolean | undefined;
};

/** Path of the service worker. The browser SDK registers it from the root of the origin. */
const SERVICE_WORKER_PATH = '/beckon-sw.js';
const HEALTH_PATHS = ['/healthz', '/readyz'];

/** Paths outside of `basePath` that an adapter serves. Throws nothing. */
export const rootPaths = ({ health = false }: HostOptions): readonly string[] => [
  SERVICE_WORKER_PATH,
  ...(health ? HEALTH_PATHS : []),
];

/** All paths outside of `basePath` that a handler serves. */
export const ROOT_PATHS = rootPaths({ health: true });

/** The path of a URL without its query. Throws nothing. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/** True if a path is `basePath` or below it. Throws nothing. */
export const isBelow = (basePath: string, path: string): boolean =>
  path === basePath || path.startsWith(`${basePath}/`);

/** True if no request below `mount` can have a path below `basePath`. Throws nothing. */
export const isElsewhere = (mount: string, basePath: string): boolean =>
  !isBelow(mount, basePath) && !isBelow(basePath, mount);

/** The error for an adapter whose place in the app does not fit its `basePath`. */
export const wrongMount = (adapter: string, mount: string, basePath: string): TypeError =>
  new TypeError(
    `${adapter} is mounted at "${mount}", but its basePath is "${basePath}". Pass { basePath: '${mount}' }, or mount it at "${basePath}".`,
  );

/** The error for a request whose body was read before the adapter could read it. */
export const consumedBody = (adapter: string, parser: string): TypeError =>
  new TypeError(`The request body was already read. Register ${adapter} before ${parser}.`);
