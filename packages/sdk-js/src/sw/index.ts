// Push for a service worker.

export { handlePushes } from './handle-pushes.ts';
