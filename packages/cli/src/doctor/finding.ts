/** Result of a check; `skip`: not requested, or not applicable. */
export type State = 'ok' | 'warn' | 'fail' | 'skip';
/** Group of checks. */
export type Group = 'runtime' | 'secrets' | 'storage' | 'network' | 'work' | 'providers' | 'domains' | 'webhooks';

/** One line of `beckon doctor`. The message ends with the command that fixes the problem, if there is one. */
export type Finding = {
  readonly group: Group;
  readonly check: string;
  readonly state: State;
  readonly message: string;
};

/** A finding. Throws nothing. */
export const finding = (group: Group, check: string, state: State, message: string): Finding => ({
  ...{ group, check, state, message },
});
