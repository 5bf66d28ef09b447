import type { MessageStatus } from '../schema.ts';

/** A message with a variant, for statistics. */
export type VariantMessage = {
  readonly id: string;
  /** The counted unit: see `unitOf`. */
  readonly unit: string;
  readonly variant: string;
  readonly status: MessageStatus;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly openedAt: Date | null;
  readonly clickedAt: Date | null;
  readonly convertedAt: Date | null;
};
/** Opens and clicks of the messages of one variant. */
export type VariantCount = { readonly variant: string; readonly opened: number; readonly clicked: number };
