import type { Stage } from './stage.ts';

/** A message as the database has it, and how often its gateway was given it. */
export type Entry = {
  readonly id: string;
  readonly sendId: string;
  readonly channel: 'push' | 'email' | 'sms';
  readonly address: string;
  readonly status: string;
  readonly errorCode: string | null;
  readonly attempt: number;
  readonly fence: number;
  readonly times: number;
};

const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
};

const MESSAGE_ID = /^<([^@]+)@/;

/** How often each message reached a gateway: pushes and mails carry their ids, text messages have numbers of their own. */
const handedOver = ({ gateways: { apns, fcm, relay, twilio } }: Stage): ((entry: Omit<Entry, 'times'>) => number) => {
  const toAndroid = countBy(fcm.arrived(), ({ message }) => `${message.data['serviceMessageId']}`);
  const mails = countBy(relay.received, ({ headers }) => MESSAGE_ID.exec(headers.get('message-id') ?? '')?.[1] ?? '');
  const texts = countBy(twilio.arrived(), ({ form }) => `${form.find(([name]) => name === 'To')?.[1]}`);
  return ({ channel, id, address }) => {
    if (channel === 'push') return (apns.read.get(id) ?? 0) + (toAndroid.get(id) ?? 0);
    return (channel === 'email' ? mails.get(id) : texts.get(address)) ?? 0;
  };
};

/**
 * Notifications of a push beyond its first that its device would show: copies that arrived and that no collapse id, of
 * APNs, and no tag, of Android, puts in the place of another.
 */
export const shownTwice = ({ gateways: { apns, fcm } }: Stage): number => {
  let alone = 0;
  const shown = [
    ...apns.arrived().map(({ headers, payload }) => ({
      id: `${JSON.parse(payload).data.serviceMessageId}`,
      under: headers['apns-collapse-id'],
    })),
    ...fcm.arrived().map(({ message: { data, android } }) => ({
      id: `${data['serviceMessageId']}`,
      under: android?.notification?.tag,
    })),
  ].map(({ id, under }) => {
    alone += 1;
    return { id, under: under === undefined ? `alone ${alone}` : `${under}` };
  });
  const places = [...Map.groupBy(shown, ({ id }) => id).values()];
  return places.reduce((sum, copies) => sum + new Set(copies.map(({ under }) => under)).size - 1, 0);
};

/** Every message there is. */
export const readLedger = async (stage: Stage): Promise<Entry[]> => {
  const rows = await stage.deployment.query<Omit<Entry, 'times'>>(
    'select id, send_id as "sendId", channel, address, status, error_code as "errorCode", attempt, fence from messages',
  );
  const timesOf = handedOver(stage);
  return rows.map((row) => ({ ...row, times: timesOf(row) }));
};

/** Whoever got it ended as `sent` and got it, or as `failed` with a reason. */
const isLost = ({ status, times, errorCode }: Entry): boolean =>
  status === 'sent' ? times === 0 : status !== 'failed' || errorCode === null;

export const lostOf = (entries: readonly Entry[]): Entry[] => entries.filter(isLost);
export const twiceOf = (entries: readonly Entry[]): Entry[] => entries.filter(({ times }) => times > 1);

/** Handovers beyond the first. */
export const repeats = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { times }) => sum + Math.max(0, times - 1), 0);

/** Sends whose figures are not those of their messages, or that have not ended. */
export const wrongSends = async ({ deployment }: Stage): Promise<readonly object[]> =>
  deployment.query(
    `select id, status, targeted, sent, failed from sends where finished_at is null
     or targeted <> (select count(*) from messages where messages.send_id = sends.id)
     or sent <> (select count(*) from messages where messages.send_id = sends.id and messages.status = 'sent')
     or failed <> (select count(*) from messages where messages.send_id = sends.id and messages.status = 'failed')`,
  );

/** Ours: the renewal of all leases of a worker may meet outcomes of the same messages, once in many times. */
export const MOST_DEADLOCKS = 2;

/** Transactions that PostgreSQL ended because they waited for each other; on SQLite there is no such thing. */
export const deadlocksOf = async ({ engine, deployment }: Stage): Promise<number> => {
  if (engine === 'sqlite') return 0;
  const [row] = await deployment.query<{ deadlocks: number }>(
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  return row?.deadlocks ?? 0;
};
