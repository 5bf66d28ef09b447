import type { MessageStatus } from '../schema.ts';

/** A message that was given a variant, as figures see it. */
export type VariantMessage = {
  readonly id: string;
  /** Whom it counts for: see `unitOf`. */
  readonly unit: string;
  readonly variant: string;
  readonly status: MessageStatus;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly openedAt: Date | null;
  readonly clickedAt: Date | null;
  readonly convertedAt: Date | null;
};
/** How often messages of one variant were opened and clicked, one by one. */
export type VariantCount = { readonly variant: string; readonly opened: number; readonly clicked: number };
