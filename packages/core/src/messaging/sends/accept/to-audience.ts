import { validationError } from '../../../foundation/errors.ts';
import { isObject } from '../../../foundation/json.ts';

/** What else says whom a send is for. */
const OTHERS = ['to', 'cc', 'bcc', 'userIds', 'tokens'];

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * The body of a send that is for an audience, as it was given. The rest of it is checked where it is read.
 *
 * @throws VALIDATION_ERROR where it names none, or names anybody else
 */
export const toAudience = <Body>(body: Body): Body => {
  if (!isObject(body)) return body;
  const others = OTHERS.filter((name) => isPresent(body[name])).map((name) => [
    name,
    ['is not allowed for a send to an audience'],
  ]);
  const missing = isPresent(body['audienceId']) ? [] : [['audienceId', ['is required']]];
  if (others.length + missing.length > 0) throw validationError(Object.fromEntries([...missing, ...others]));
  return body;
};
