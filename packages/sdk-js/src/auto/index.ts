// Auto-tracking for a client that was made with `autoTrack: false`, or by a program for workers.

export { autoTrack } from './auto-track.ts';
