// A page with every way to sign in. A method that the service does not offer shows the service's error.
import { createClient } from '@beckon/sdk-js';
import { type AuthResult, createAuth, type MfaChallenge, type Redirect } from '@beckon/sdk-js/auth';

const { apiKey = '' } = document.documentElement.dataset;
const beckon = createClient({ apiKey, baseUrl: location.origin });
const auth = createAuth(beckon);
const redirectTo = `${location.origin}/`;

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}.`);
  return found;
};
const fieldOf = (id: string): string => {
  const found = element(id);
  return found instanceof HTMLInputElement ? found.value : '';
};
const show = (result: unknown): void => {
  element('result').textContent = typeof result === 'string' ? result : JSON.stringify(result);
};
const run = (work: () => Promise<unknown>): void => {
  show('...');
  work().then(show, (error: unknown) => show(String(error)));
};
const onClick = (id: string, work: () => Promise<unknown>): void =>
  element(id).addEventListener('click', () => run(work));

let challenge: MfaChallenge | undefined;
let challengeId = '';
let factorId = '';
let link: Redirect | null = null;
/** Keeps the challenge of a sign-in that needs a second factor. */
const signedIn = (result: AuthResult): string => {
  if (!('mfaRequired' in result)) return 'Signed in';
  challenge = result.challenge;
  return 'Enter the code of your second factor';
};
const account = (): { email: string; password: string } => ({ email: fieldOf('email'), password: fieldOf('password') });

onClick('sign-up', () => auth.signUp({ ...account(), redirectTo }));
onClick('verify', () => auth.verifyEmail({ email: fieldOf('email'), code: fieldOf('code') }));
onClick('sign-in', async () => signedIn(await auth.signIn(account())));
onClick('forgot', () => auth.forgotPassword({ email: fieldOf('email'), redirectTo }));
onClick('use-link', async () => {
  if (link?.type === 'reset')
    return signedIn(await auth.resetPassword({ token: link.token, password: fieldOf('password') }));
  if (link?.type === 'magic_link') return signedIn(await auth.verifyMagicLink(link));
  if (link?.type === 'email_change_undo') return auth.undoEmailChange({ token: link.token });
  return link && 'token' in link ? auth.verifyEmail({ token: link.token, c: link.c }) : 'No link';
});

onClick('magic-link', () => auth.requestMagicLink({ email: fieldOf('email'), redirectTo, createUser: true }));
onClick('email-code', async () => {
  ({ challengeId } = await auth.requestEmailCode({ email: fieldOf('email'), createUser: true }));
  return 'Sent';
});
onClick('verify-code', async () =>
  signedIn(await auth.verifyEmailCode({ challengeId, email: fieldOf('email'), code: fieldOf('code') })),
);

onClick('passkey', () => auth.signInWithPasskey());
onClick('create-passkey', () => auth.createPasskey('My passkey'));
onClick('guest', () => auth.signInAsGuest());
onClick('upgrade', () => auth.upgradeGuest(account()));
onClick('mfa', async () =>
  challenge ? auth.verifyMfa(challenge, { code: fieldOf('code') }) : 'Sign in with a password first',
);
onClick('totp', async () => {
  const enrollment = await auth.enrollTotp();
  ({ factorId } = enrollment);
  return enrollment;
});
onClick('totp-confirm', () => auth.confirmTotp({ factorId, code: fieldOf('code') }));

onClick('token', auth.getAccessToken);
onClick('me', auth.me);
onClick('sessions', auth.listSessions);
onClick('reauthenticate', () => auth.reauthenticate({ password: fieldOf('password') }));
onClick('log-out', () => auth.logout());

const showSession = (): void => {
  const user = auth.session()?.user;
  element('session').textContent = user ? `Signed in as ${user.email ?? 'a guest'}` : 'Signed out';
};
auth.onChange(showSession);
showSession();

link = auth.takeRedirect();
if (link?.type === 'code') {
  const redirect = link;
  run(() => auth.exchange(redirect));
} else if (link?.type === 'error') show(`The provider answered ${link.error}`);
else if (link) element('use-link').hidden = false;

// The providers of this project; the section stays hidden without any.
auth.listProviders().then(
  (providers) => {
    for (const { provider } of providers.filter(({ enabled }) => enabled)) {
      const button = document.createElement('button');
      button.textContent = provider;
      button.addEventListener('click', () =>
        run(async () => location.assign((await auth.startSocial({ provider, redirectTo })).authorizationUrl)),
      );
      element('social').append(button);
      element('social').hidden = false;
    }
  },
  () => {},
);
// Browsers offer passkeys in the field of the address.
auth.signInWithPasskey({ isAutofill: true }).then(
  (tokens) => tokens && show('Signed in'),
  () => {},
);

const look = async (): Promise<void> => {
  element('outbox').textContent = await (await fetch('/outbox')).text();
};
setInterval(() => void look().catch(() => {}), 1_000);
