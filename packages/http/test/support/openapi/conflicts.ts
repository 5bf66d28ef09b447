// What operations conflict with, for the test of the errors that they document.

import type { Beckon, BodyName, Scope } from '@beckon/core';
import { type SignIn, samlBody } from './sign-in.ts';
import type { Documented } from './validator.ts';

const isRead = (body: unknown): body is Record<string, unknown> => typeof body === 'object' && body !== null;

type World = {
  readonly beckon: Beckon;
  readonly scope: Scope;
  readonly auth: SignIn;
  readonly ids: Readonly<Record<string, () => Promise<string>>>;
  /** Secret key of the scope. */
  readonly key: string;
  pathFor(one: Documented, id?: string): Promise<string>;
  plain(path: string): string;
  bodyNameOf(one: Documented): BodyName | undefined;
  bodyFor(name: BodyName): Promise<unknown>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<unknown>;
};

/** Makes what is in the way of an operation: a path, a body and headers that conflict with what exists. */
export const conflicts = ({ beckon, scope, auth, ids, key, pathFor, plain, bodyNameOf, bodyFor, call }: World) => {
  return async (
    one: Documented,
  ): Promise<readonly [path: string, body?: unknown, headers?: Record<string, string>]> => {
    const path = await pathFor(one);
    const name = bodyNameOf(one);
    const body = name && (await bodyFor(name));
    const id = async (operation: string) => pathFor(one, await ids[operation]?.());
    switch (plain(one.path)) {
      case '/automation/workflows/import':
      case '/automation/workflows/{id}':
      case '/push/templates/{id}':
      case '/email/templates/{id}':
      case '/sms/templates/{id}':
        return [`${path}?ifMatch=${9}`, body];
      case '/automation/runs/{id}/cancel':
        return [await id('GET /automation/runs/{id}')];
      case '/automation/runs/{id}/retry':
        return [await id('POST /automation/runs/{id}/cancel')];
      case '/push/ab-tests/{id}':
      case '/email/ab-tests/{id}':
      case '/sms/ab-tests/{id}':
        await call('POST', `${path}/complete`, {});
        return [path, body];
      case '/push/sends/{id}':
      case '/email/sends/{id}':
      case '/sms/sends/{id}': {
        const sent = await id(`GET ${plain(one.path)}`);
        await beckon.worker.drain();
        return [sent];
      }
      case '/audiences/{id}': {
        const taken = await beckon.audiences.create(scope, { name: `Taken ${one.operation.operationId}` });
        if (one.method === 'PATCH') return [path, { name: taken.name }];
        const trigger = { eventType: 'seen', audienceId: taken.id };
        const steps = [{ type: 'wait', config: { minutes: 1 } }] as const;
        await beckon.workflows.create(scope, { name: taken.name, trigger, steps });
        return [await pathFor(one, taken.id)];
      }
      case '/audiences/{id}/members':
      case '/audiences/{id}/members/remove':
        return [await id('PATCH /audiences/{id}'), body];
      case '/auth-service/signup':
        await beckon.auth.updateSettings(scope, { signup: { autoSignIn: true } });
        await call(one.method, path, body);
        return [path, body];
      case '/auth-service/email/verify': {
        const { token, newEmail } = await auth.changeEmail();
        await beckon.users.create(scope, { email: newEmail });
        return [path, { token }];
      }
      case '/auth-service/email/change/undo': {
        const { token, former } = await auth.changedEmail();
        await beckon.users.create(scope, { email: former });
        return [path, { token }];
      }
      case '/auth-service/mfa/totp/enroll':
        await auth.crowded();
        return [path, undefined, { authorization: `Bearer ${(await auth.session()).tokens.accessToken}` }];
      case '/auth-service/passkeys/options':
        await auth.passkeys.crowded();
        return [path];
      case '/auth-service/passkeys':
        return [path, await auth.passkeys.addingAgain()];
      case '/auth-service/passkeys/{id}': {
        const { id: only, accessToken } = await auth.passkeys.only();
        return [await pathFor(one, only), undefined, { authorization: `Bearer ${accessToken}` }];
      }
      case '/auth-service/token/refresh':
        // Parallel tabs may refresh with one token only so many times.
        for (let tab = 0; tab < 5; tab += 1) await call(one.method, path, body);
        return [path, body];
      case '/auth-service/scim/tokens': {
        const { id: directoryId } = await beckon.auth.createScimDirectory(scope, { name: 'Full' });
        for (let index = 0; index < 5; index++) await beckon.auth.createScimToken(scope, { directoryId });
        return [path, { directoryId }];
      }
      case '/auth-service/login/social': {
        const { email } = await auth.user();
        await auth.social.setUp();
        return [path, await auth.social.native(email)];
      }
      case '/auth-service/token/exchange':
        return [path, await auth.social.code((await auth.user()).email)];
      case '/auth-service/identities/{id}': {
        const { id: only, accessToken } = await auth.social.onlyIdentity();
        return [await pathFor(one, only), undefined, { authorization: `Bearer ${accessToken}` }];
      }
      case '/auth-service/sso/connections': {
        const taken = {
          name: 'Taken',
          saml: { ...samlBody(), entityId: `https://${one.operation.operationId}.example` },
        };
        await call(one.method, path, taken);
        return [path, taken];
      }
      case '/auth-service/sso/connections/{id}': {
        const saml = { ...samlBody(), entityId: `https://${one.operation.operationId}.example` };
        await beckon.auth.createSsoConnection(scope, { name: 'Taken', saml });
        const { id: pending } = await beckon.auth.createSsoConnection(scope, { name: 'Pending', saml: {} });
        return [await pathFor(one, pending), { saml }];
      }
      case '/auth-service/users/{id}/impersonate': {
        const { id: disabled } = await auth.user();
        await beckon.users.update(scope, disabled, { disabled: true });
        return [await pathFor(one, disabled), body];
      }
      case '/auth-service/users/{id}':
        return [path, { email: (await auth.user()).email }];
      case '/auth-service/signing-keys/rotate':
        await call(one.method, path, undefined, { 'x-api-key': key });
        return [path, undefined, { 'x-api-key': key }];
      default: {
        const again = isRead(body) && 'userId' in body ? { ...body, messageId: one.operation.operationId } : body;
        await call(one.method, path, again);
        return [path, again];
      }
    }
  };
};
