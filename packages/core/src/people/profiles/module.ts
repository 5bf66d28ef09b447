import { mailAddress } from '../../foundation/email-address.ts';
import { phoneNumber } from '../../foundation/phone-number.ts';
import type { Platform } from '../../platform/platform.ts';
import { type BoundReaction, bindReaction } from '../events/pipeline.ts';
import type { ProfilesApiOf } from './api.ts';
import { type CountDevices, placeholderUsers } from './placeholders.ts';
import type { Histories, MoveRows, Profiles } from './profiles.ts';
import type { ProfileTables } from './tables.ts';

/** The part of profiles in ingest and erasure. Needs the reactions that read the changes it publishes. */
export const profileContributions = (needs: {
  readonly profiles: Profiles;
  /** In the order of `DOWNSTREAM_ORDER`. */
  readonly downstream: readonly BoundReaction[];
}) => {
  const { profiles, downstream } = needs;
  return {
    name: 'profiles',
    ingestReactions: [bindReaction(profiles.reactionBefore(downstream))],
    erasers: [profiles.erasure.profile, profiles.erasure.aliases],
    traces: [profiles.isKnown],
  };
};

/** Reads and changes of profiles, including data of other modules about users. Built after ingest. */
export const profilesModule = <Message>(
  { clock }: Pick<Platform<ProfileTables>, 'clock'>,
  needs: {
    readonly profiles: Profiles;
    /** They process a change by the API like one by an identify call. */
    readonly downstream: readonly BoundReaction[];
    readonly histories: Histories<Message>;
    readonly countDevices: CountDevices;
    readonly moves: MoveRows;
  },
) => {
  const { profiles, downstream, histories, countDevices, moves } = needs;
  const addresses = { email: mailAddress, phone: phoneNumber };
  return {
    name: 'profiles',
    api: {
      ...profiles.reads(histories),
      ...profiles.writes({ clock, downstream, addresses }),
      placeholders: placeholderUsers(profiles, countDevices),
    } satisfies Omit<ProfilesApiOf<Message>, 'erase' | 'erasure'>,
    maintenance: [{ name: 'events and tokens of merged people', run: () => profiles.moveMerged(moves) }],
  };
};
