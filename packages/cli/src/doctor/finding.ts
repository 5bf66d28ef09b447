/** What a check says: `skip` where it was not asked for, or makes no sense here. */
export type State = 'ok' | 'warn' | 'fail' | 'skip';
/** What checks are about. */
export type Group = 'runtime' | 'secrets' | 'storage' | 'network' | 'work' | 'providers' | 'domains' | 'webhooks';

/** One line of `beckon doctor`; the message ends with the command that helps, where one does. */
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
