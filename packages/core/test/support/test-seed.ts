/**
 * The whole number in an environment variable; null if it is not set.
 *
 * @throws TypeError for any other text, because another seed would not repeat the failure
 */
export const wholeFrom = (name: string, env: NodeJS.ProcessEnv = process.env): number | null => {
  const text = env[name];
  if (text === undefined || text === '') return null;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new TypeError(`${name} must be a whole number, and is "${text}"`);
  return value;
};

/**
 * The seed of a test's random choices: `BECKON_TEST_SEED`, which CI derives from the commit, or a number of this run. A
 * test prints it on failure.
 */
export const testSeed = (): number => wholeFrom('BECKON_TEST_SEED') ?? Math.floor(Math.random() * 2 ** 31);

/** True if comparisons of many cases run all of them: `BECKON_TEST_WHOLE=1`. */
export const isWhole = (): boolean => process.env['BECKON_TEST_WHOLE'] === '1';
