// Auto-tracking for a client created with `autoTrack: false` or by the entry for workers.

export { autoTrack } from './auto-track.ts';
