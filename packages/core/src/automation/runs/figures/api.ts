/** Length of an interval. Source: contract, Analytics. */
export const FIGURE_INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type FigureInterval = (typeof FIGURE_INTERVALS)[number];

export type FiguresQuery = {
  /** Runs that started at or after this time. Default: 30 days before `to`. */
  readonly from?: Date | undefined;
  /** Runs that started before this time. Default: now. */
  readonly to?: Date | undefined;
  /** Default: `day`. */
  readonly interval?: FigureInterval | undefined;
  /** IANA time zone in which days, weeks and months begin. Default: `UTC`. */
  readonly timezone?: string | undefined;
};

/** Begin of an interval (a day such as `2026-03-01`, weeks from Monday; for hours a time), and a count. */
export type FigurePoint = readonly [t: string, n: number];
