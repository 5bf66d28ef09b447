import { bucketOf, variantsByBucket } from '../../foundation/ab-bucket.ts';
import type { TestView, Variant } from '../sends/deliver/variants.ts';
import { textsIn } from '../templates/texts.ts';
import type { AbTestStatus, StoredVariant } from './schema.ts';

const said = ({ key, weight: _, ...fields }: StoredVariant): Variant => ({ key, fields });

/** A test as its messages see it. Pure. */
export const viewOfTest = ({
  id,
  status,
  variants,
}: {
  readonly id: string;
  readonly status: AbTestStatus;
  readonly variants: readonly StoredVariant[];
}): TestView => {
  const all = variants.map((variant) => ({ weight: variant.weight, variant: said(variant) }));
  const byBucket = variantsByBucket(all);
  const byKey = new Map(all.map(({ variant }) => [variant.key, variant]));
  return {
    status,
    variantOf: (key) => byKey.get(key) ?? null,
    pick: (subject) => {
      const bucket = bucketOf(id, subject);
      return { bucket, variant: byBucket[bucket]?.variant ?? null };
    },
    texts: all.flatMap(({ variant: { key, fields } }) => [...textsIn(fields, key)].map(({ text }) => text)),
  };
};
