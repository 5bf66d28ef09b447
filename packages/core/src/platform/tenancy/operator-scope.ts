// The scope of the accounts of a deployment's operators. It has no row in the database, so that no name, list, grant or key
// finds it, and `isOurs` refuses it: functions that take a scope reject it even if a caller gets hold of the object.

import type { InScope, Scope } from '../../foundation/scope.ts';
import { DEPLOYMENT } from './keyring.ts';

/** Numbers of stored scopes and projects start at 1; 0 is the deployment in the counts of emails. */
const OPERATOR_SCOPE_ID = -1;

// Safe: the mark exists on the type only.
export const OPERATOR_SCOPE = Object.freeze({
  ...{ scopeId: OPERATOR_SCOPE_ID, projectKey: OPERATOR_SCOPE_ID },
  ...{ orgId: DEPLOYMENT, projectId: 'operators', environment: 'prod' },
}) as unknown as Scope;

/** True for the rows and the scope of operators. */
export const isOfOperators = ({ scopeId }: InScope): boolean => scopeId === OPERATOR_SCOPE_ID;
