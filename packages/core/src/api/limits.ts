import type { Scope } from '../primitives/scope.ts';

/** How much may be asked for. */
export type LimitsApi = {
  /**
   * Does what one request to send mail asks for, if its org has not asked for too much: in `prod` 60 requests a minute
   * and 60 at once (`email.mailsPerMinute`), on probation 10; recipients are not counted. Mail that is sent outside of it,
   * by the host or by a step, takes its place as it goes, and is delayed where there is none. Shared by all processes of a database. What ends with
   * PROVIDER_NOT_CONFIGURED does not count.
   *
   * Throws RATE_LIMITED before anything is done, and what `work` throws.
   */
  mailRequest<T>(scope: Scope, work: () => Promise<T>): Promise<T>;
  /** Puts an org's mail on probation, or ends that. Throws NOT_FOUND for an org that there is not. */
  setEmailProbation(orgId: string, isOn: boolean): Promise<void>;
};
