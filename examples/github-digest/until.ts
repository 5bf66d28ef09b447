import { setTimeout as sleep } from 'node:timers/promises';

const WITHIN_MS = 60_000;
const POLL_MS = 100;

/** Waits until a condition is true. At the time limit it reports nothing: the table shows what is missing. */
export const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await isSo()) && Date.now() < deadline) await sleep(POLL_MS);
};
