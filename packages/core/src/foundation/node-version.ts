/** Source: `engines` of package.json. */
const OLDEST_SUPPORTED = [22, 19] as const;

/**
 * Throws a readable error if Node is too old. Called before native modules load, since better-sqlite3 crashes an old
 * Node with a segmentation fault.
 *
 * @throws Error
 */
export const requireNode = (version: string = process.versions.node): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_SUPPORTED[0] || (major === OLDEST_SUPPORTED[0] && minor >= OLDEST_SUPPORTED[1])) return;
  throw new Error(`Beckon needs Node ${OLDEST_SUPPORTED.join('.')} or newer, and this is Node ${version}.`);
};
