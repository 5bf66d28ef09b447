import { quotedTable } from '../../../database/statements/codec.ts';
import type { SqlText } from '../../../database/statements/text-context.ts';
import type { AudienceTables } from '../tables.ts';

/** Members of an audience, for statements that other modules complete. Throws nothing. */
export const membersText = ({ audienceMembers }: AudienceTables) => ({
  table: quotedTable(audienceMembers),
  where: (({ value }) =>
    `m."scope_id" = ${value('scopeId')} and m."audience_id" = ${value('audienceId')}`) satisfies SqlText,
});
