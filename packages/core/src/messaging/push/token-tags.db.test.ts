import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OTHERS, openTokens, TEST, type TokensWorld } from '../../../test/support/push/world.ts';
import { scopeOf } from '../../foundation/scope.ts';
import { personKey } from '../../people/profiles/view.ts';
import { tokenTags } from './token-tags.ts';

describe('tokenTags', () => {
  let world: TokensWorld;
  beforeEach(async () => {
    world = await openTokens();
  });
  afterEach(() => world.close());

  const ann = { ...scopeOf(TEST), person: 'u:ann' };
  const bob = { ...scopeOf(TEST), person: 'u:bob' };
  const register = async (token: string, userId: string, locale: string | null, scope = TEST): Promise<string> => {
    world.clock.advance(1_000);
    const body = { token, platform: 'android', userId, locale, timezone: locale && 'Europe/Paris' } as const;
    return (await world.tokens.register(scope, body)).token.id;
  };
  const read = () => tokenTags(world.storage, world.tables)([ann, bob]);

  it('the tags of users are those of their newest device, in one statement', async () => {
    await register('fcm:1', 'ann', 'de');
    await register('fcm:2', 'ann', 'fr');
    await register('fcm:3', 'bob', 'nl');
    for (const other of Object.values(OTHERS)) await register(`fcm:other-${other.scopeId}`, 'ann', 'xx', other);
    world.statements.length = 0;
    expect(await read()).toEqual(
      new Map([
        [personKey(ann), { locale: 'fr', timezone: 'Europe/Paris' }],
        [personKey(bob), { locale: 'nl', timezone: 'Europe/Paris' }],
      ]),
    );
    expect(world.statements).toEqual(['push.newest_of']);
  });

  it('without the newest device the next one counts; without devices there are no tags', async () => {
    await register('fcm:1', 'ann', 'de');
    const newest = await register('fcm:2', 'ann', 'fr');
    await world.tokens.delete(TEST, newest);
    expect(await read()).toEqual(new Map([[personKey(ann), { locale: 'de', timezone: 'Europe/Paris' }]]));
  });

  it('reading users one by one gives the same tags as reading them together', async () => {
    await register('fcm:1', 'ann', null);
    await register('fcm:2', 'ann', 'fr');
    const alone = await tokenTags(world.storage, world.tables)([ann]);
    expect(alone.get(personKey(ann))).toEqual({ locale: 'fr', timezone: 'Europe/Paris' });
    expect(await tokenTags(world.storage, world.tables)([])).toEqual(new Map());
  });
});
