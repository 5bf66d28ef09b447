import { compileTemplate, variablePaths } from '../../templates/compile.ts';
import { textsIn } from '../../templates/texts.ts';
import type { Finding, SavedNames } from './step.ts';

/** Built-in fields of a user that templates may read. Source: interface, Template variables. */
const USER_FIELDS = ['userId', 'email', 'createdAt', 'lastSeenAt', 'locale', 'timezone'] as const;
/** Characters of a variable that a warning quotes; ours. */
const MAX_QUOTED = 128;

const isUserField = (name: string): boolean => USER_FIELDS.some((field) => field === name);

/**
 * Whether a step's templates can ever fill this path: `event.*`, `trait.*`, built-in `user` fields and those that the
 * channel gives, saved outputs.
 */
const isReadable = (path: string, saved: SavedNames, given: readonly string[]): boolean => {
  const [root, key, ...below] = path.split('.');
  if (key === undefined) return false;
  if (root === 'steps') return saved.has(key);
  return (
    root === 'event' ||
    root === 'trait' ||
    (root === 'user' && (isUserField(key) || given.includes(key)) && below.length === 0)
  );
};

/** Says that a message to an address is nobody's. */
export const nobodys = (message: string): Finding => ({
  path: 'to',
  code: 'no_person',
  message: `A ${message} to an address is nobody's: it stands in no history and starts no workflow.`,
});

/**
 * A warning for each variable that no scope has, once per text of these fields of a config. Throws nothing.
 *
 * @param given fields of a user that the channel gives besides the built-in ones
 */
export function* unknownVariables<Config extends object>(
  config: Config,
  fields: readonly (keyof Config & string)[],
  saved: SavedNames,
  given: readonly string[] = [],
): Generator<Finding> {
  for (const field of fields)
    for (const { path, text } of textsIn(config[field], field))
      for (const variable of variablePaths(compileTemplate(text)))
        if (!isReadable(variable, saved, given)) {
          const quoted = variable.slice(0, MAX_QUOTED).toWellFormed();
          yield { path, code: 'unknown_variable', message: `No scope has {{${quoted}}}; it renders empty.` };
        }
}
