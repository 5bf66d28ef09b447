import type { Scope } from '../../../foundation/scope.ts';
import type { SendCall, SendOptions } from '../api.ts';
import { toAudience } from './to-audience.ts';

/** What a channel offers to send its messages. */
type SendCalls<Input extends object, AudienceInput extends object, Accepted, Tried> = {
  readonly send: SendCall<Input, Accepted, Tried>;
  readonly sendToAudience: SendCall<AudienceInput, Accepted, Tried>;
};

/**
 * The calls of a channel over one function that accepts a body.
 *
 * @param accept answers a dry run exactly for a body with `dryRun: true`; checks the body itself
 */
export const sendCalls = <Input extends object, AudienceInput extends object, Accepted, Tried>(
  accept: (scope: Scope, body: unknown, options?: SendOptions) => Promise<Accepted | Tried>,
): SendCalls<Input, AudienceInput, Accepted, Tried> => ({
  // Safe: which of the two is answered depends on `dryRun` of the body, as the overloads say.
  send: accept as SendCall<Input, Accepted, Tried>,
  // Safe: as above.
  sendToAudience: (async (scope: Scope, body: unknown, options?: SendOptions) =>
    accept(scope, toAudience(body), options)) as SendCall<AudienceInput, Accepted, Tried>,
});
