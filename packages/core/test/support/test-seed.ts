/**
 * The whole number that an environment variable holds; null where it is absent.
 *
 * @throws TypeError where it holds something else: a seed that is not what was meant would repeat nothing
 */
export const wholeFrom = (name: string, env: NodeJS.ProcessEnv = process.env): number | null => {
  const text = env[name];
  if (text === undefined || text === '') return null;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new TypeError(`${name} must be a whole number, and is "${text}"`);
  return value;
};

/**
 * What a test's random choices follow from: `BECKON_TEST_SEED`, which CI makes of the commit, or a number of this run. A
 * test prints it where it fails.
 */
export const testSeed = (): number => wholeFrom('BECKON_TEST_SEED') ?? Math.floor(Math.random() * 2 ** 31);

/** True where comparisons of many cases run all of them: `BECKON_TEST_WHOLE=1`. */
export const isWhole = (): boolean => process.env['BECKON_TEST_WHOLE'] === '1';
