import { validationError } from '../../../foundation/errors.ts';
import { isObject } from '../../../foundation/json.ts';

/** Fields that name recipients other than an audience. */
const OTHERS = ['to', 'cc', 'bcc', 'userIds', 'tokens'];

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * Checks that a body names an audience and no other recipients, and returns it unchanged. Its other fields are checked
 * by the channel.
 *
 * @throws VALIDATION_ERROR without an audience, or with other recipients
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
