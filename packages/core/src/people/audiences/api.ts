import type { z } from 'zod';
import type { Frozen } from '../../foundation/frozen.ts';
import type { Page, PageQuery } from '../../foundation/page.ts';
import type { Scope } from '../../foundation/scope.ts';
import type { AudienceSummary } from '../profiles/answers.generated.ts';
import type {
  Audience,
  AudienceExplanation,
  AudienceMember,
  AudiencePreview,
  MembersAdded,
  MembersRemoved,
} from './answers.generated.ts';
import type { PredicateInput } from './predicate/types.ts';
import type { audienceBody, audiencePatch, membersBody } from './schema.ts';

/** A new audience: dynamic with a predicate, otherwise a static list. */
export interface AudienceInput extends Omit<Frozen<z.input<typeof audienceBody>>, 'predicate'> {
  readonly predicate?: PredicateInput | undefined;
}

/** Changes to an audience. Omitted fields keep their values. */
export interface AudiencePatch extends Omit<Frozen<z.input<typeof audiencePatch>>, 'predicate'> {
  readonly predicate?: PredicateInput | undefined;
}

/** 1 to 1,000 user ids. */
export interface MembersInput extends Frozen<z.input<typeof membersBody>> {}

/** A predicate to evaluate without storing it. */
export type PreviewAudienceInput = { readonly predicate: PredicateInput };

export type AudienceQuery = PageQuery & {
  /** Only the audience with exactly this name. */
  readonly name?: string | undefined;
  readonly kind?: Audience['kind'] | undefined;
  readonly status?: Audience['status'] | undefined;
  /** Adds the total number of matching audiences to the page. */
  readonly count?: boolean | undefined;
};

export type MemberQuery = PageQuery & {
  /** Only this user. */
  readonly userId?: string | undefined;
  /** Adds the total number of members to the page. */
  readonly count?: boolean | undefined;
};

/** Audiences API. An audience belongs to one environment, like the users in it. */
export type AudiencesApi = {
  /**
   * Creates an audience. Throws VALIDATION_ERROR, also if the environment has 1,000 audiences, and CONFLICT `exists`
   * (`details.id`) if the name is in use.
   */
  create(scope: Scope, body: AudienceInput): Promise<Audience>;
  /** Lists audiences, newest first. Throws VALIDATION_ERROR. */
  list(scope: Scope, query?: AudienceQuery): Promise<Page<Audience>>;
  /** Gets one audience. Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<Audience>;
  /**
   * Updates an audience. Omitted fields keep their values; a changed predicate recomputes the members. Throws as
   * `create`, and NOT_FOUND.
   */
  update(scope: Scope, id: string, body: AudiencePatch): Promise<Audience>;
  /**
   * Deletes an audience. Throws NOT_FOUND, and CONFLICT `in_use` if audiences or workflows refer to it, which `details`
   * lists.
   */
  delete(scope: Scope, id: string): Promise<AudienceSummary>;
  /** Lists members, ordered by user id. Throws NOT_FOUND, VALIDATION_ERROR. */
  members(scope: Scope, id: string, query?: MemberQuery): Promise<Page<AudienceMember>>;
  /**
   * Adds users to a static list, with or without a profile. Throws NOT_FOUND, VALIDATION_ERROR (also for a placeholder
   * such as "undefined"), and CONFLICT `immutable` for a dynamic audience.
   */
  addMembers(scope: Scope, id: string, body: MembersInput): Promise<MembersAdded>;
  /** Removes users, including placeholders, from a static list. Throws as `addMembers`. */
  removeMembers(scope: Scope, id: string, body: MembersInput): Promise<MembersRemoved>;
  /**
   * Evaluates a predicate now, without storing anything. Throws VALIDATION_ERROR, and QUERY_TIMEOUT if it takes too
   * long.
   */
  preview(scope: Scope, body: PreviewAudienceInput): Promise<AudiencePreview>;
  /**
   * Explains why a user is a member or not. Throws NOT_FOUND for an unknown audience or, for a dynamic one, an unknown
   * user.
   */
  explain(scope: Scope, id: string, userId: string): Promise<AudienceExplanation>;
  /** Lists the audiences of a user, newest first. Empty for an unknown user. Throws VALIDATION_ERROR. */
  ofUser(scope: Scope, userId: string, query?: PageQuery): Promise<Page<AudienceSummary>>;
};
