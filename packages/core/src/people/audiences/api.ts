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

/** A new audience: with a predicate dynamic, without one a static list. */
export interface AudienceInput extends Omit<Frozen<z.input<typeof audienceBody>>, 'predicate'> {
  readonly predicate?: PredicateInput | undefined;
}

/** What changes of an audience; the rest stays. */
export interface AudiencePatch extends Omit<Frozen<z.input<typeof audiencePatch>>, 'predicate'> {
  readonly predicate?: PredicateInput | undefined;
}

/** Users by their ids, 1 to 1,000. */
export interface MembersInput extends Frozen<z.input<typeof membersBody>> {}

/** A predicate that is tried. */
export type PreviewAudienceInput = { readonly predicate: PredicateInput };

export type AudienceQuery = PageQuery & {
  /** The whole name, as it is. */
  readonly name?: string | undefined;
  readonly kind?: Audience['kind'] | undefined;
  readonly status?: Audience['status'] | undefined;
  /** The page also says how many audiences the list has in all. */
  readonly count?: boolean | undefined;
};

export type MemberQuery = PageQuery & {
  /** Only this user. */
  readonly userId?: string | undefined;
  /** The page also says how many members there are in all. */
  readonly count?: boolean | undefined;
};

/** Audiences belong to one environment, as the users in them do. */
export type AudiencesApi = {
  /**
   * Throws VALIDATION_ERROR, also where the environment has 1,000 of them, and CONFLICT `exists` (`details.id`) for a name
   * that is taken.
   */
  create(scope: Scope, body: AudienceInput): Promise<Audience>;
  /** Newest first. Throws VALIDATION_ERROR. */
  list(scope: Scope, query?: AudienceQuery): Promise<Page<Audience>>;
  /** Throws NOT_FOUND. */
  get(scope: Scope, id: string): Promise<Audience>;
  /** What is left out stays. Another predicate is computed anew. Throws as `create`, and NOT_FOUND. */
  update(scope: Scope, id: string, body: AudiencePatch): Promise<Audience>;
  /** Throws NOT_FOUND, and CONFLICT `in_use` where an audience or a workflow names it, which `details` lists. */
  delete(scope: Scope, id: string): Promise<AudienceSummary>;
  /** Who is in it, in the order of their ids. Throws NOT_FOUND, VALIDATION_ERROR. */
  members(scope: Scope, id: string, query?: MemberQuery): Promise<Page<AudienceMember>>;
  /**
   * Adds users to a static list, with or without a profile. Throws NOT_FOUND, VALIDATION_ERROR (also for a
   * placeholder such as "undefined"), and CONFLICT `immutable` for a dynamic audience.
   */
  addMembers(scope: Scope, id: string, body: MembersInput): Promise<MembersAdded>;
  /** Takes users off a static list, placeholders too. Throws as `addMembers`. */
  removeMembers(scope: Scope, id: string, body: MembersInput): Promise<MembersRemoved>;
  /** Whom a predicate holds for at this moment; nothing is kept. Throws VALIDATION_ERROR. */
  preview(scope: Scope, body: PreviewAudienceInput): Promise<AudiencePreview>;
  /** Throws NOT_FOUND for an audience or, of a dynamic one, a user that there is not. */
  explain(scope: Scope, id: string, userId: string): Promise<AudienceExplanation>;
  /** The audiences that a user is in, newest first; none for an unknown user. Throws VALIDATION_ERROR. */
  ofUser(scope: Scope, userId: string, query?: PageQuery): Promise<Page<AudienceSummary>>;
};
