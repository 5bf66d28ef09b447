import { describe, expect, it } from 'vitest';
import { distanceMeters, nearest } from './nearest.ts';

const at = (lat: number, lng: number) => ({ lat, lng });

describe('distanceMeters', () => {
  // With the mean radius, a degree of a great circle is 111,195 m.
  it.each([
    ['a place and itself', at(51, 3.7), at(51, 3.7), 0],
    ['a degree of the equator', at(0, 0), at(0, 1), 111_195],
    ['a degree of a meridian', at(60, 10), at(61, 10), 111_195],
    ['a degree along the sixtieth parallel', at(60, 10), at(60, 11), 55_597],
    ['both sides of the date line', at(0, 179.5), at(0, -179.5), 111_195],
    ['across the pole', at(89.5, 0), at(89.5, 180), 111_195],
    ['one place of many longitudes', at(90, -30), at(90, 150), 0],
    ['two ends of the Earth', at(0, 0), at(0, 180), 20_015_114],
  ])('distanceMeters is exact for %s', (_, from, to, meters) => {
    expect(Math.round(distanceMeters(from, to))).toBe(meters);
    expect(distanceMeters(to, from)).toBe(distanceMeters(from, to));
  });
});

describe('nearest', () => {
  it('geofences are ordered by distance, also across the date line', () => {
    const places = [
      { id: 'far', ...at(10, 170) },
      { id: 'west', ...at(0, 179.9) },
      { id: 'east', ...at(0, -179.8) },
    ];
    expect(nearest(places, at(0, -179.95), 2).map(({ id }) => id)).toEqual(['west', 'east']);
  });

  it('geofences at equal distance are ordered by id', () => {
    const places = ['b', 'a'].map((id) => ({ id, ...at(1, 1) }));
    expect(nearest(places, at(0, 0), 5).map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
