import type { Storage } from '../../../src/database/storage.ts';
import { capsModule } from '../../../src/messaging/caps/module.ts';
import type { CountedChannels } from '../../../src/messaging/caps/rules.ts';
import { emailChannel } from '../../../src/messaging/email/email.ts';
import type { Address } from '../../../src/messaging/sends/channel.ts';
import type { FrequencyCap } from '../../../src/messaging/settings/schema.ts';
import { type DeliverySettings, viewOf } from '../../../src/messaging/settings/view.ts';
import { smsChannel } from '../../../src/messaging/sms/sms.ts';
import { hand, openWorld, PROD, users, type World } from '../sends/world.ts';

type Rule = FrequencyCap['rules'][number];

/** A marketing rule on every channel, per day. */
export const rule = (max: number, more: Partial<Rule> = {}): Rule => {
  return { channel: 'all', max, per: { n: 1, unit: 'day' }, class: 'marketing', ...more };
};

/** Settings of a project with these rules. */
export const settingsWith = (...rules: readonly Rule[]): DeliverySettings =>
  viewOf([{ name: 'frequencyCap', value: { enabled: true, rules } }, ...QUIET]);

/** Email quiet hours in UTC, because no user has a time zone: from ten in the evening until eight. */
const QUIET = [
  { name: 'email.quietHours', value: { enabled: true, start: '22:00', end: '08:00' } },
  { name: 'orgDefaultTimezone', value: 'UTC' },
];

/** Channels without a database. */
export const countedChannels: CountedChannels = {
  push: { addressKey: (address) => address },
  email: emailChannel(),
  sms: smsChannel(),
};

/** Registered Android devices of a user. */
export const devices = (...ids: readonly string[]): Address[] =>
  ids.map((id) => ({ address: `token-${id}`, name: null, facts: { platform: 'android', tokenId: id } }));

/** Sending with caps whose rules a test changes; by default providers accept everything. */
export const openCapped = async (...first: readonly Rule[]) => {
  const world: World = await openWorld();
  let settings = settingsWith(...first);
  const loadSettings = async () => () => settings;
  const { storage, tables } = world;
  const capsOver = (over: Storage) =>
    capsModule({ storage: over, tables }, { channels: countedChannels, loadSettings });
  /** The engine of another process. */
  const cappedEngine = (over: Storage) => {
    const { reservations, messageReactions: reactions } = capsOver(over);
    return world.engine({ storage: over, loadSettings, reservations, reactions });
  };
  const { maintenance, erasers } = capsOver(storage);
  const [upkeep] = maintenance;
  const [eraser] = erasers;
  if (upkeep === undefined || eraser === undefined) throw new Error('caps have one upkeep and one eraser');
  const engine = cappedEngine(storage);
  const worker = hand(world.database, engine.registrations.messages);
  for (const channel of ['push', 'email', 'sms'] as const) world.credentials.configure({ ...PROD, channel });

  /** Accepts a push to users; returns its id. */
  const push = async (userIds: readonly string[], more: Partial<Parameters<World['accept']>[1]> = {}) =>
    (
      await world.accept(PROD, {
        channel: 'push',
        source: 'api',
        class: 'marketing',
        title: 't',
        content: { title: 't', body: 'b' },
        variables: {},
        recipients: users(...userIds),
        ...more,
      })
    ).id;
  const messagesOf = async (id: string, channel: 'push' | 'email' | 'sms' = 'push') =>
    (await world.sending.sends.messages(PROD, channel, id)).data;
  return {
    ...world,
    sweep: upkeep.run,
    eraser,
    cappedEngine,
    engine,
    worker,
    set: (...rules: readonly Rule[]): void => {
      settings = settingsWith(...rules);
    },
    push,
    messagesOf,
    /** Status or reason of each message of a send. */
    endsOf: async (id: string, channel?: 'push' | 'email' | 'sms'): Promise<string[]> =>
      (await messagesOf(id, channel)).map(({ status, reason }) => (reason === null ? status : `${status} ${reason}`)),
    /** Hands over due messages until none is left, in batches of at most `size`. */
    work: async (size?: number): Promise<void> => {
      while ((await worker.turn(size)) > 0);
    },
    entries: () => storage.db.select().from(tables.capEntries),
    locks: () => storage.db.select().from(tables.capLocks),
    close: async (): Promise<void> => {
      await engine.close();
      await world.close();
    },
  };
};

export type Capped = Awaited<ReturnType<typeof openCapped>>;
