import * as core from '@beckon/core';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../test/support/fake-io.ts';
import type { Context } from '../command-line.ts';
import { inputOf, optionsOf } from './flags.ts';

describe('flags of an operation', () => {
  it('flags have the choices of the schemas in core', () => {
    const choices = (operation: string): unknown => optionsOf(operation, { status: 'text' })[0]?.argChoices;
    expect(choices('GET /email/sends')).toEqual([...core.SEND_STATUSES]);
    expect(choices('GET /automation/runs')).toEqual([...core.RUN_STATUSES]);
    expect(choices('GET /email/ab-tests')).toEqual([...core.AB_TEST_STATUSES]);
    expect(choices('GET /webhooks/{id}/deliveries')).toEqual([...core.DELIVERY_STATUSES]);
  });

  it('flags are required like their fields and have their types', () => {
    const [name, radius, on] = optionsOf('POST /push/geofences', {
      name: 'Name',
      radius: { field: 'radiusMeters', text: 'Radius' },
      on: { field: 'transitions', text: 'Transitions' },
    });
    expect([name?.mandatory, radius?.mandatory, on?.mandatory]).toEqual([true, true, false]);
    expect([name?.flags, radius?.flags, on?.flags]).toEqual(['--name <text>', '--radius <number>', '--on <values...>']);
    expect(optionsOf('POST /email/domains', { dkim: 'Sign' })[0]?.flags).toBe('--dkim');
  });

  it('a flag for an unknown field fails at startup', () => {
    expect(() => optionsOf('POST /push/geofences', { colour: 'Colour' })).toThrow(
      'POST /push/geofences has no field colour',
    );
  });

  it('flag values become query or body fields, converted as the table defines', async () => {
    const io = fakeIo();
    io.remove();
    // Safe: the conversion below does not use it.
    const context = { io } as unknown as Context;
    const flags = { status: 'Status', user: { field: 'userId', text: 'User', convert: (id: string) => `${id}!` } };
    const input = await inputOf(context, 'GET /email/sends', flags, { status: 'sent', user: 'ada', limit: 5 });
    expect(input).toEqual({ query: { status: 'sent', userId: 'ada!' }, body: {} });
    const { body } = await inputOf(context, 'POST /push/geofences', { name: 'Name' }, { name: 'Shop' });
    expect(body).toEqual({ name: 'Shop' });
  });
});
