export type ErasureRequested = { readonly erasureId: string };

/** What became of a request to erase somebody; it names nobody. */
export type Erasure = {
  readonly id: string;
  readonly status: 'pending' | 'done';
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
};
