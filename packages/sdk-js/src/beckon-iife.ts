// The whole SDK for pages, as the global `Beckon` of a script tag.

export { autoTrack } from './auto/auto-track.ts';
export type { Client } from './client-types.ts';
export { ApiError, fieldErrors, isRateLimited, isTierRequired } from './errors.ts';
export { createClient } from './index.ts';
export { enableWebPush } from './push/enable.ts';
