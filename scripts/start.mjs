/*
 * `npm start`: the server of this checkout, which ends with the npm that runs it. npm passes a SIGTERM on to the shell that
 * it starts scripts with; the shell dies of it, and what it ran would go on alone and hold the port.
 */

/** How often the parent is looked at. */
const LOOK_MS = 200;

const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, LOOK_MS).unref();

await import('../packages/cli/bin/beckon.js');
