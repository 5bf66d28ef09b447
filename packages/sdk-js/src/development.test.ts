import { expect, it } from 'vitest';
import { isPlaceholderUserId, PLACEHOLDER_SPELLINGS } from '../../core/src/foundation/placeholder-user-id.ts';
import { isPlaceholder } from './development.ts';

it('the SDK and the service recognize the same placeholder user ids', () => {
  const others = ['ann', '1', '00', 'nullable', 'guest-1', 'undefined1', 'a b', '-', '', '\u2003', '\0', 'nil\u200b'];
  for (const text of [...PLACEHOLDER_SPELLINGS, ...others])
    for (const userId of [text, ` ${text}\t`, `\u00a0${text}`])
      expect([userId, isPlaceholder(userId)]).toEqual([userId, isPlaceholderUserId(userId)]);
});
