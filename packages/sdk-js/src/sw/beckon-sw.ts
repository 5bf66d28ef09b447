import { handlePushes } from './handle-pushes.ts';

// The script that a page registers, or that an application's own worker takes in with `importScripts`.

handlePushes(globalThis);
