// Made of the schemas in answers.ts by `npm run openapi`.

import type { Predicate } from './predicate/types.ts';
import type { Profile } from '../profiles/answers.generated.ts';

/** A group of users. */
export interface Audience {
  /** Id of the audience. */
  readonly id: string;
  /** Organization of the audience. */
  readonly orgId: string;
  /** Project of the audience. */
  readonly projectId: string;
  /** Environment of the audience. */
  readonly environment: 'prod' | 'test';
  /** Name of the audience. */
  readonly name: string;
  /** Description; null if there is none. */
  readonly description: string | null;
  /** `dynamic`: the users that match the predicate. `static`: a list that you maintain. */
  readonly kind: 'dynamic' | 'static';
  /** Condition of membership; null for a static audience. */
  readonly predicate: Predicate | null;
  /** Members at `countedAt`. */
  readonly memberCount: number;
  /** When the members were counted. */
  readonly countedAt: Date;
  /** `computing`: the predicate is new or changed, and not all users are evaluated yet. */
  readonly status: 'ready' | 'computing';
  /** Increases with every change, from 1. */
  readonly version: number;
  /** When the audience was created. */
  readonly createdAt: Date;
  /** When the audience was last changed. */
  readonly updatedAt: Date;
}

/** A member of an audience. */
export interface AudienceMember {
  /** Id of the user. */
  readonly userId: string;
  /** When the user became a member. */
  readonly joinedAt: Date;
}

/** The users that match a predicate now. */
export interface AudiencePreview {
  /** Users that match the predicate. */
  readonly count: number;
  /** Up to 20 of them, ordered by id. */
  readonly sample: readonly Profile[];
}

/** A node of a predicate with its result. */
export type ExplainedNode = {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** The condition as it is stored. */
  readonly leaf: Readonly<Record<string, unknown>>;
  /** What the condition was compared with. */
  readonly actual: {
    /** Value that was compared; missing if there is none. */
    readonly value?: unknown;
    /** How often the event happened; only for event conditions. */
    readonly count?: number | undefined;
    /** When the event last happened (ISO 8601); only for event conditions. */
    readonly lastAt?: string | undefined;
  };
} | {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** Nodes that must all be true. */
  readonly all: readonly ExplainedNode[];
} | {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** Nodes of which one must be true. */
  readonly any: readonly ExplainedNode[];
} | {
  /** Result of the node; a missing value is `unknown`. */
  readonly verdict: 'true' | 'false' | 'unknown';
  /** Node that must be false. */
  readonly not: ExplainedNode;
};

/** Why a user is or is not a member of an audience. */
export interface AudienceExplanation {
  /** Id of the audience. */
  readonly audienceId: string;
  /** Name of the audience. */
  readonly name: string;
  /** Id of the user. */
  readonly userId: string;
  /** Whether the user is a member; if the predicate says otherwise, a worker has not evaluated the user yet. */
  readonly isMember: boolean;
  /** The predicate with the result of each node; null for a static audience. */
  readonly explanation: ExplainedNode | null;
}

/** Result of adding members. */
export interface MembersAdded {
  /** Users that were added. */
  readonly added: number;
  /** Users that were members before. */
  readonly existing: number;
}

/** Result of removing members. */
export interface MembersRemoved {
  /** Users that were removed. */
  readonly removed: number;
}

/** The types of this module's answers, by their names. */
export interface Answers {
  readonly Audience: Audience;
  readonly AudienceMember: AudienceMember;
  readonly AudiencePreview: AudiencePreview;
  readonly ExplainedNode: ExplainedNode;
  readonly AudienceExplanation: AudienceExplanation;
  readonly MembersAdded: MembersAdded;
  readonly MembersRemoved: MembersRemoved;
}
