import type { ProjectScope, Scope } from '../../foundation/scope.ts';
import { type MakeQueue, queue } from '../../jobs/worker.ts';
import type { Platform } from '../../platform/platform.ts';
import type { AudienceSummary } from '../profiles/answers.generated.ts';
import { type AudienceNeeds, audiencesEngine } from './audiences.ts';
import type { CountingTables } from './counting/tables.ts';
import type { AudienceTables } from './tables.ts';

/** Functions for other modules. */
export type Audiences = {
  /** The ids that are audiences of neither environment of the project. */
  lacking(project: ProjectScope, ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** All audiences that a user is in, newest first. */
  allOfUser(scope: Scope, userId: string): Promise<readonly AudienceSummary[]>;
};

/** Audiences, their members, and the counters of events that their predicates use. */
export const audiencesModule = (platform: Platform<AudienceTables & CountingTables>, needs: AudienceNeeds) => {
  const audiences = audiencesEngine(platform, needs);
  return {
    name: 'audiences',
    api: audiences.api,
    downstreamReactions: [audiences.membership],
    queues: [
      (options) => queue(options, audiences.builds),
      (options) => queue(options, audiences.checks),
    ] satisfies readonly MakeQueue[],
    erasers: [audiences.eraser],
    internal: { lacking: audiences.lacking, allOfUser: audiences.allOfUser } satisfies Audiences,
  };
};
