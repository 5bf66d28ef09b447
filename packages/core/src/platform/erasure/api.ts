export type ErasureRequested = { readonly erasureId: string };

/** State of an erasure request; it identifies no user. */
export type Erasure = {
  readonly id: string;
  readonly status: 'pending' | 'done';
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};
