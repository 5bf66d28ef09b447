import type { Tag, Write } from '../../../database/commit/write-set.ts';

/** What goes into the commit of a report, so that it is taken once: where a write fails under the tag it was taken before. */
export type Marks = { readonly writes: readonly Write[]; readonly tag: Tag };

/** True where a report was taken before. Throws nothing. */
export const isMarked = (marks: Marks | undefined, failed: ReadonlySet<Tag>): boolean =>
  marks !== undefined && failed.has(marks.tag);
