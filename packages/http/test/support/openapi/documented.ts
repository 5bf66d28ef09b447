import type { BodyName } from '@beckon/core';
import type { Documented } from './validator.ts';

/** Path of an operation below the base path, without its organization. */
export const plain = (path: string): string => path.replace('/api/v1', '').replace('/orgs/{orgId}', '');

/** Required parameters of a query. */
export const needed = ({ operation }: Documented): string => {
  const names = operation.parameters.filter((one) => one['in'] === 'query' && one['required'] === true);
  return names.length === 0 ? '' : `?${names.map(({ name }) => `${String(name)}=1`).join('&')}`;
};

/** Name of the body of an operation. */
export const bodyNameOf = ({ operation }: Documented): BodyName | undefined => {
  const ref = operation.requestBody?.content['application/json']?.schema['$ref'];
  // Safe: the document refers to bodies by their names.
  return typeof ref === 'string' ? (ref.slice('#/components/schemas/'.length) as BodyName) : undefined;
};

/** Callbacks of providers need a state in their query or form: routes/auth-social.db.test.ts and auth-sso.db.test.ts. */
export const isCallback = ({ path }: Documented): boolean =>
  /\/login\/social\/callback\/|\/sso\/oidc\/.*\/callback$|\/acs$/.test(path);

/** True for operations of sign-in that answer 412 while `publicUrl` is not set. */
export const needsPublicUrl = ({ path }: Documented): boolean =>
  /\/(login|reset|refresh|exchange|openid-\w+|verify|anonymous|upgrade|enroll|confirm|impersonate|start|acs|metadata)$/.test(
    path,
  );
