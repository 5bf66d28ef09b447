import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { Frozen } from '../../../foundation/frozen.ts';
import type { leafShapes } from './shape.ts';
import type { EventLeaf, MemberLeaf, PathLeaf, TraitLeaf } from './types.ts';

type Shape<Subject extends keyof ReturnType<typeof leafShapes>> = Frozen<
  z.input<ReturnType<typeof leafShapes>[Subject]>
>;

describe('the shape of conditions', () => {
  it('every leaf that has the exact type also has the shape', () => {
    expectTypeOf<TraitLeaf>().toExtend<Shape<'trait'>>();
    expectTypeOf<PathLeaf>().toExtend<Shape<'path'>>();
    expectTypeOf<EventLeaf>().toExtend<Shape<'event'>>();
    expectTypeOf<MemberLeaf>().toExtend<Shape<'audience'>>();
  });
});
