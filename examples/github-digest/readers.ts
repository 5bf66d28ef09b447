// The third part: a reader signs up, verifies the address with the link of the email, and signs in. The first proof of
// the address raises `user.signed_up`, which starts the welcome workflow.

import { readFileSync } from 'node:fs';
import type { Client } from './client.ts';
import type { Line } from './report.ts';
import { until } from './until.ts';

type Caught = { readonly address: string; readonly content: { readonly subject: string; readonly text: string } };
type Run = { readonly workflowName: string; readonly status: string };
type Tokens = { readonly accessToken: string; readonly user: { readonly userId: string } };

const PAGE = 'https://digest.example/signed-up';
const READER = { email: 'ada@example.com', password: 'a difference engine', name: 'Ada' };
const WORKFLOW = 'Reader welcomed';
const WELCOME = 'Your first digest arrives on Monday, Ada.';

const bundleText = readFileSync(new URL('welcome.bundle.json', import.meta.url), 'utf8');

/** Emails to the reader, oldest first. */
const emailsOf = async ({ list }: Client): Promise<Caught[]> => {
  const mails = await list<Caught>('/sandbox/messages?channel=email');
  return mails.filter(({ address }) => address === READER.email).toReversed();
};

/** The token of the link in the verification email; empty if none arrives in time. */
const tokenOf = async (client: Client): Promise<string> => {
  let token = '';
  await until(async () => {
    const [first] = await emailsOf(client);
    token = /[?&]token=([\w-]+)/.exec(first?.content.text ?? '')?.[1] ?? '';
    return token !== '';
  });
  return token;
};

/** Signs a reader up. */
export const readerLines = async (client: Client): Promise<Line[]> => {
  const { request, post, get, list } = client;
  const group = 'sign-in';
  const { email, password } = READER;
  await request(
    'PUT',
    '/auth-service/settings',
    JSON.stringify({ redirectUris: [PAGE], profileTraits: { name: 'name' } }),
  );
  await post('/automation/workflows/import', bundleText);

  const signedUp = await post<{ readonly status: string }>('/auth-service/signup', JSON.stringify(READER));
  const early = await request('POST', '/auth-service/login', JSON.stringify({ email, password }));
  const verified = await post<object>(
    '/auth-service/email/verify',
    JSON.stringify({ token: await tokenOf(client), password }),
  );
  const { accessToken, user } = await post<Tokens>('/auth-service/login', JSON.stringify({ email, password }));
  const me = await get<{ readonly email: string }>('/auth-service/me', { authorization: `Bearer ${accessToken}` });

  // `serve --dev` has a welcome workflow of its own.
  const statusOfRun = async (): Promise<string | undefined> => {
    const runs = await list<Run>(`/automation/runs?userId=${user.userId}`);
    return runs.find(({ workflowName }) => workflowName === WORKFLOW)?.status;
  };
  const textOfWelcome = async (): Promise<string | undefined> =>
    (await emailsOf(client)).map(({ content }) => content.text.trim()).find((text) => text === WELCOME);
  await until(async () => (await statusOfRun()) === 'completed' && (await textOfWelcome()) !== undefined);
  return [
    { group, what: 'signed up', expected: 'verification_required', got: signedUp.status },
    { group, what: 'sign-in before the address is verified', expected: 403, got: early.status },
    {
      ...{ group, what: 'address verified with the link of the email' },
      ...{ expected: '{"verified":true,"passwordKept":true}', got: JSON.stringify(verified) },
    },
    { group, what: 'signed in as', expected: email, got: me.email },
    { group, what: 'run of user.signed_up', expected: 'completed', got: String(await statusOfRun()) },
    { group, what: 'welcome email', expected: WELCOME, got: String(await textOfWelcome()) },
  ];
};
