// Proof Key for Code Exchange: the client that began a flow is the one that ends it. Source: RFC 7636. Only the method S256
// exists here.

import { hash } from 'node:crypto';
import { constantTimeEqual } from '../../foundation/hash.ts';

/** Characters of a challenge that links and redirects carry as `c`, so that a client finds its verifier. */
const HINT_CHARACTERS = 8;

const CHALLENGE = /^[\w-]{43}$/;
/** Source: RFC 7636, section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** True for a code challenge of the method S256: 43 characters of base64url. Throws nothing. */
export const isCodeChallenge = (input: unknown): input is string => typeof input === 'string' && CHALLENGE.test(input);

/**
 * True for the verifier of a challenge, compared in constant time. False for anything that is no verifier or challenge, so a
 * missing challenge fits nothing. Throws nothing.
 */
export const isVerifierOf = (verifier: unknown, challenge: unknown): boolean => {
  if (typeof verifier !== 'string' || !VERIFIER.test(verifier) || !isCodeChallenge(challenge)) return false;
  return constantTimeEqual(Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge));
};

/** The parameter `c` of links and redirects: the first 8 characters of the challenge. Throws nothing. */
export const challengeHint = (challenge: string): string => challenge.slice(0, HINT_CHARACTERS);
