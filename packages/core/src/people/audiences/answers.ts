import { z } from 'zod';
import { answersOf, freeForm, scopeFields } from '../../foundation/answers.ts';
import { profileAnswers } from '../profiles/answers.ts';
import type { Answers } from './answers.generated.ts';
import { VERDICTS } from './predicate/explain.ts';
import type { Predicate } from './predicate/types.ts';
import { AUDIENCE_KINDS, AUDIENCE_STATUSES } from './schema.ts';

/** A predicate as it is stored. One object, so that the API description refers to it by name. */
// Safe: stored predicates were read by the schema of bodies, and JSON keeps them as they are.
export const predicateAnswer = freeForm().describe(
  'Condition of membership: a leaf, or all, any or not over others.',
) as unknown as z.ZodType<Predicate>;

const explainedNode = () => {
  const verdict = z.enum(VERDICTS).describe('Result of the node; a missing value is `unknown`.');
  const leaf = z.object({
    verdict,
    leaf: freeForm().describe('The condition as it is stored.'),
    actual: z
      .object({
        value: z.unknown().optional().describe('Value that was compared; missing if there is none.'),
        count: z.int().optional().describe('How often the event happened; only for event conditions.'),
        lastAt: z.string().optional().describe('When the event last happened (ISO 8601); only for event conditions.'),
      })
      .describe('What the condition was compared with.'),
  });
  const node: z.ZodType<Answers['ExplainedNode']> = z
    .union([
      leaf,
      z.object({
        verdict,
        all: z.array(z.lazy(() => node)).describe('Nodes that must all be true.'),
      }),
      z.object({
        verdict,
        any: z.array(z.lazy(() => node)).describe('Nodes of which one must be true.'),
      }),
      z.object({
        verdict,
        not: z.lazy(() => node).describe('Node that must be false.'),
      }),
    ])
    .describe('A node of a predicate with its result.');
  return node;
};

/** Schemas of the answers about audiences. */
export const audienceAnswers = answersOf<Answers>()(() => {
  const ExplainedNode = explainedNode();
  return {
    Audience: z
      .object({
        id: z.uuid().describe('Id of the audience.'),
        ...scopeFields('audience'),
        name: z.string().describe('Name of the audience.'),
        description: z.string().nullable().describe('Description; null if there is none.'),
        kind: z
          .enum(AUDIENCE_KINDS)
          .describe('`dynamic`: the users that match the predicate. `static`: a list that you maintain.'),
        predicate: predicateAnswer.nullable().describe('Condition of membership; null for a static audience.'),
        memberCount: z.int().describe('Members at `countedAt`.'),
        countedAt: z.date().describe('When the members were counted.'),
        status: z
          .enum(AUDIENCE_STATUSES)
          .describe('`computing`: the predicate is new or changed, and not all users are evaluated yet.'),
        version: z.int().describe('Increases with every change, from 1.'),
        createdAt: z.date().describe('When the audience was created.'),
        updatedAt: z.date().describe('When the audience was last changed.'),
      })
      .describe('A group of users.'),
    AudienceMember: z
      .object({
        userId: z.string().describe('Id of the user.'),
        joinedAt: z.date().describe('When the user became a member.'),
      })
      .describe('A member of an audience.'),
    AudiencePreview: z
      .object({
        count: z.int().describe('Users that match the predicate.'),
        sample: z.array(profileAnswers().Profile).describe('Up to 20 of them, ordered by id.'),
      })
      .describe('The users that match a predicate now.'),
    ExplainedNode,
    AudienceExplanation: z
      .object({
        audienceId: z.uuid().describe('Id of the audience.'),
        name: z.string().describe('Name of the audience.'),
        userId: z.string().describe('Id of the user.'),
        isMember: z
          .boolean()
          .describe(
            'Whether the user is a member; if the predicate says otherwise, a worker has not evaluated the user yet.',
          ),
        explanation: ExplainedNode.nullable().describe(
          'The predicate with the result of each node; null for a static audience.',
        ),
      })
      .describe('Why a user is or is not a member of an audience.'),
    MembersAdded: z
      .object({
        added: z.int().describe('Users that were added.'),
        existing: z.int().describe('Users that were members before.'),
      })
      .describe('Result of adding members.'),
    MembersRemoved: z
      .object({ removed: z.int().describe('Users that were removed.') })
      .describe('Result of removing members.'),
  };
});
