import type { Tag, Write } from '../../../database/commit/write-set.ts';

/** Writes that make a report apply once: if a write with the tag fails, the report was applied before. */
export type Marks = { readonly writes: readonly Write[]; readonly tag: Tag };

/** True if the report was applied before. Throws nothing. */
export const isMarked = (marks: Marks | undefined, failed: ReadonlySet<Tag>): boolean =>
  marks !== undefined && failed.has(marks.tag);
