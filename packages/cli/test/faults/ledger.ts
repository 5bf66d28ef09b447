import type { Stage } from './stage.ts';

/** A stored message, and the number of its requests to the gateway. */
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

/** Requests per message: pushes and emails contain their ids, SMS have unique numbers. */
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
 * Duplicate notifications that a device would show: copies without a collapse id of APNs or a tag of Android, which would
 * replace each other.
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

/** All messages. */
export const readLedger = async (stage: Stage): Promise<Entry[]> => {
  const rows = await stage.deployment.query<Omit<Entry, 'times'>>(
    'select id, send_id as "sendId", channel, address, status, error_code as "errorCode", attempt, fence from messages',
  );
  const timesOf = handedOver(stage);
  return rows.map((row) => ({ ...row, times: timesOf(row) }));
};

/** Asserts that every message is `sent` and arrived, or `failed` with a reason. */
const isLost = ({ status, times, errorCode }: Entry): boolean =>
  status === 'sent' ? times === 0 : status !== 'failed' || errorCode === null;

export const lostOf = (entries: readonly Entry[]): Entry[] => entries.filter(isLost);
export const twiceOf = (entries: readonly Entry[]): Entry[] => entries.filter(({ times }) => times > 1);

/** Requests beyond the first. */
export const repeats = (entries: readonly Entry[]): number =>
  entries.reduce((sum, { times }) => sum + Math.max(0, times - 1), 0);

/** Sends whose counts differ from their messages, or that have not finished. */
export const wrongSends = async ({ deployment }: Stage): Promise<readonly object[]> =>
  deployment.query(
    `select id, status, targeted, sent, failed from sends where finished_at is null
     or targeted <> (select count(*) from messages where messages.send_id = sends.id)
     or sent <> (select count(*) from messages where messages.send_id = sends.id and messages.status = 'sent')
     or failed <> (select count(*) from messages where messages.send_id = sends.id and messages.status = 'failed')`,
  );

/** Maximum deadlocks. Chosen: renewing leases may rarely deadlock with outcomes of the same messages. */
export const MOST_DEADLOCKS = 2;

/** Deadlocked transactions in PostgreSQL; always 0 on SQLite. */
export const deadlocksOf = async ({ engine, deployment }: Stage): Promise<number> => {
  if (engine === 'sqlite') return 0;
  const [row] = await deployment.query<{ deadlocks: number }>(
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  return row?.deadlocks ?? 0;
};
