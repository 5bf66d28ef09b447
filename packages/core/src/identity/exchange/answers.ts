import { z } from 'zod';
import { answersOf } from '../../foundation/answers.ts';
import { authAnswers } from '../shapes/answers.ts';
import type { Answers } from './answers.generated.ts';

/** Schemas of the answers about identities at providers. */
export const exchangeAnswers = answersOf<Answers>()(() => {
  const Identity = z
    .object({
      id: z.uuid().describe('Identity id.'),
      provider: z.string().describe('Social provider, or the protocol of a connection.'),
      connectionId: z.uuid().nullable().describe("Connection of an organization's own provider; null if social."),
      subject: z.string().describe("The provider's id of the user."),
      email: z.string().nullable().describe('Email address as the provider states it; null if none.'),
      emailVerified: z.boolean().describe('Whether the provider states that the user owns the address.'),
      linkedAt: z.date().describe('When the identity was linked.'),
    })
    .describe('An identity of a user at a provider.');
  const IdentityLinked = z
    .object({ linked: Identity.describe('The identity that was linked.') })
    .describe('Result of linking an identity.');
  return {
    Identity,
    IdentityLinked,
    IdentityUnlinked: z
      .object({ unlinked: z.literal(true).describe('The identity is no longer linked.') })
      .describe('Result of unlinking an identity.'),
    CodeExchanged: z
      .union([authAnswers().AuthResult, IdentityLinked])
      .describe('The result of the sign-in; for a link, the linked identity.'),
  };
});
