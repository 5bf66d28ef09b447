import Database from 'better-sqlite3';
import pg from 'pg';
import type { Deployment } from '../kill/deployment.ts';

/** Writes rows that no version of the program writes, such as from a future defect or a manual change. */
export const corrupt = async ({ engine, url }: Deployment, statement: string): Promise<void> => {
  if (engine === 'sqlite') {
    const connection = new Database(url.slice('sqlite:'.length), { fileMustExist: true });
    connection.exec(statement);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
};

/** Traits of the recipient of the poison. */
export const TRAITS = {
  breaks: 'Hi\r\nBcc: eve@example.test',
  runs: 'javascript:alert(1)',
  email: 'ann@example.test',
  phone: '+15005007001',
  long: 'x'.repeat(10_000),
};

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const push = (fields: object): string => JSON.stringify({ userIds: ['ann'], title: 'News', ...fields });
const mail = (fields: object): string =>
  JSON.stringify({ userIds: ['ann'], subject: 'News', text: 'Hello', ...fields });

/** A raw body and the expected result. */
export type Poison = {
  readonly name: string;
  readonly path: '/push/send' | '/email/send' | '/sms/send';
  readonly body: string;
};

/** Rejected bodies with their statuses. */
export const REFUSED: readonly (Poison & { readonly status: number })[] = [
  {
    name: 'data of 40 levels',
    path: '/push/send',
    status: 400,
    body: `{"userIds":["ann"],"title":"x","data":${nested(40)}}`,
  },
  { name: 'a key that FCM keeps for itself', path: '/push/send', status: 400, body: push({ data: { from: 'x' } }) },
  { name: 'data of 15,000 levels', path: '/push/send', status: 400, body: `{"data":${nested(15_000)}}` },
  {
    name: 'a number without end',
    path: '/push/send',
    status: 400,
    body: '{"userIds":["ann"],"title":"x","badge":1e400}',
  },
  {
    name: 'a key __proto__',
    path: '/push/send',
    status: 400,
    body: '{"userIds":["ann"],"title":"x","data":{"__proto__":{"a":1}}}',
  },
  {
    name: 'U+0000 in a key',
    path: '/push/send',
    status: 400,
    body: '{"userIds":["ann"],"title":"x","data":{"a\\u0000":1}}',
  },
  { name: 'U+0000 in a token', path: '/push/send', status: 400, body: '{"tokens":["a\\u0000b"],"title":"x"}' },
  { name: 'a title of 64 KB', path: '/push/send', status: 400, body: push({ title: 'x'.repeat(65_536) }) },
  {
    name: 'a URL that runs code',
    path: '/push/send',
    status: 400,
    body: push({ data: { url: 'javascript:alert(1)' } }),
  },
  {
    name: 'a subject of two lines',
    path: '/email/send',
    status: 400,
    body: mail({ subject: 'Hi\r\nBcc: eve@example.test' }),
  },
  { name: 'a body of more than 1 MB', path: '/email/send', status: 413, body: mail({ text: 'x'.repeat(1_100_000) }) },
  { name: 'half of JSON', path: '/sms/send', status: 400, body: '{"to":"+15005007001","body":"' },
];

/** Valid bodies of messages that cannot be sent, with their error codes. */
export const UNSENDABLE: readonly (Poison & { readonly code: string })[] = [
  {
    name: 'a payload that is too large',
    path: '/push/send',
    code: 'payload_too_large',
    body: push({ body: '日'.repeat(2_000) }),
  },
  {
    name: 'a payload that grows too large',
    path: '/push/send',
    code: 'payload_too_large',
    body: push({ body: '{{trait.long}}' }),
  },
  {
    name: 'a text that grows without bound',
    path: '/push/send',
    code: 'too_large',
    body: push({ body: '{{trait.long}}'.repeat(250) }),
  },
  {
    name: 'a URL that a trait makes run code',
    path: '/push/send',
    code: 'unsafe_url',
    body: push({ data: { url: '{{trait.runs}}' } }),
  },
  {
    name: 'a mail that grows without bound',
    path: '/email/send',
    code: 'too_large',
    body: mail({ text: '{{trait.long}}'.repeat(4_000) }),
  },
  {
    name: 'a text message of many segments',
    path: '/sms/send',
    code: 'too_many_segments',
    body: JSON.stringify({ userIds: ['ann'], body: 'x'.repeat(1_600) }),
  },
];

/** Unusual bodies of messages that are sent. */
export const ODD: readonly Poison[] = [
  {
    name: 'U+0000 and half characters',
    path: '/push/send',
    body: push({ title: 'a\0b\ud800c', data: { k: '\udfff\0' } }),
  },
  {
    name: 'templates of nothing',
    path: '/push/send',
    body: push({ body: '{{constructor.constructor}}{{trait.__proto__.x}}{{{{}}}}' }),
  },
  { name: 'a mail of 64 KB', path: '/email/send', body: mail({ text: 'x'.repeat(65_536) }) },
  { name: 'a subject that a trait breaks', path: '/email/send', body: mail({ subject: '{{trait.breaks}}' }) },
];
