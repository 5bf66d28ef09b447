import { handlePushes } from './handle-pushes.ts';

// The script that a page registers, or that an application's own worker loads with `importScripts`.

handlePushes(globalThis);
