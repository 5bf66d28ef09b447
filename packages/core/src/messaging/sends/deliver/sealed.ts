// Values that a message shows and that no row, log or view may show, such as the link or the code of a sign-in. They are
// sealed in `sends.sealed` for the id of their send, opened to render a message, never cached, and removed in the commit
// that ends the send.

import { z } from 'zod';
import type { Scope } from '../../../foundation/scope.ts';
import type { Keyring, SecretPlace } from '../../../platform/tenancy/keyring.ts';

const sealedValues = z.object({
  /** Values of the template scope `auth`. */
  auth: z.record(z.string(), z.string()),
  /** After this moment the message is not sent. */
  expiresAt: z.iso.datetime().transform((text) => new Date(text)),
});

/** Sealed values of a send. */
export type SealedValues = { readonly auth: Readonly<Record<string, string>>; readonly expiresAt: Date };

/** The row and column of the sealed values of a send. */
export const sealedPlace = ({ orgId, projectId, environment }: Scope, sendId: string): SecretPlace => ({
  ...{ orgId, projectId, environment },
  ...{ table: 'sends', column: 'sealed', rowId: sendId },
});

/** Seals values for the send with this id. Throws errors of the keyring. */
export const sealValues = (
  keyring: Pick<Keyring, 'seal'>,
  scope: Scope,
  sendId: string,
  { auth, expiresAt }: SealedValues,
): Promise<string> =>
  keyring.seal(sealedPlace(scope, sendId), JSON.stringify({ auth, expiresAt: expiresAt.toISOString() }));

/** Opens them. Throws UnreadableSecret and errors of the keyring. */
export const openValues = async (
  keyring: Pick<Keyring, 'openText'>,
  scope: Scope,
  sendId: string,
  sealed: string,
): Promise<SealedValues> => sealedValues.parse(JSON.parse(await keyring.openText(sealedPlace(scope, sendId), sealed)));
