import { opened } from './lib/beckon.ts';

/**
 * Next.js calls it once, when a server starts. `serverExternalPackages` of its configuration contains `@beckon/core`.
 */
export const register = async (): Promise<void> => {
  (await opened()).service.worker.start();
};
