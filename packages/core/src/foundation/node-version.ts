/** Source: `engines` of package.json. */
const OLDEST = [22, 19] as const;

/**
 * Refuses a Node that is too old, in a sentence. Before anything native is loaded: better-sqlite3 ends an old Node with a
 * segmentation fault.
 *
 * @throws Error
 */
export const requireNode = (version: string = process.versions.node): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new Error(`Beckon needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}.`);
};
