import { clipTexts, isTruncated, normaliseFreeForm, truncateObject } from '../../foundation/json.ts';

/** Bytes of the metadata of a guest, and of a user who signed up. Source: interface, Body caps; authentication design, Truncation. */
export const MAX_GUEST_METADATA_BYTES = 4_096;
export const MAX_METADATA_BYTES = 16_384;

/** Metadata as it is stored. */
export type AccountMetadata = {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** True if the server cut it; it then has the member `_truncated: true`. */
  readonly isTruncated: boolean;
};

/**
 * Cleans the metadata of an account and cuts it to its size by whole keys: see `truncateObject`.
 *
 * @param isGuest true for an anonymous account
 * @throws BeckonError VALIDATION_ERROR for what no database can store: see `normaliseFreeForm`
 */
export const accountMetadataOf = (metadata: Readonly<Record<string, unknown>>, isGuest: boolean): AccountMetadata => {
  const maxBytes = isGuest ? MAX_GUEST_METADATA_BYTES : MAX_METADATA_BYTES;
  // Clipped first, so that long texts are neither cleaned nor measured. A copy loses the mark of an earlier cut.
  const clean = normaliseFreeForm(clipTexts(metadata, maxBytes), 'metadata');
  const cut = truncateObject(clean, maxBytes);
  return { metadata: cut, isTruncated: isTruncated(cut) };
};
