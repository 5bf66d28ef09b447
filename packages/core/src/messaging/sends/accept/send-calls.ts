import type { Scope } from '../../../foundation/scope.ts';
import type { SendCall, SendOptions } from '../api.ts';
import { toAudience } from './to-audience.ts';

/** The send methods of a channel. */
type SendCalls<Input extends object, AudienceInput extends object, Accepted, Tried> = {
  readonly send: SendCall<Input, Accepted, Tried>;
  readonly sendToAudience: SendCall<AudienceInput, Accepted, Tried>;
};

/**
 * Makes the send methods of a channel from one function that accepts a body.
 *
 * @param accept checks the body; returns a dry run exactly for a body with `dryRun: true`
 */
export const sendCalls = <Input extends object, AudienceInput extends object, Accepted, Tried>(
  accept: (scope: Scope, body: unknown, options?: SendOptions) => Promise<Accepted | Tried>,
): SendCalls<Input, AudienceInput, Accepted, Tried> => ({
  // Safe: `dryRun` in the body decides which of the two results is returned, as the overloads declare.
  send: accept as SendCall<Input, Accepted, Tried>,
  // Safe: as above.
  sendToAudience: (async (scope: Scope, body: unknown, options?: SendOptions) =>
    accept(scope, toAudience(body), options)) as SendCall<AudienceInput, Accepted, Tried>,
});
