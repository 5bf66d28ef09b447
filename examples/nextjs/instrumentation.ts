import { opened } from './lib/beckon.ts';

/** Next calls it once, as a server starts. `serverExternalPackages` of its configuration names `@beckon/core`. */
export const register = async (): Promise<void> => {
  (await opened()).service.worker.start();
};
