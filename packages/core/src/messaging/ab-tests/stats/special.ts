// Special functions of test statistics, accurate to about 1e-12: the logarithm of gamma, the incomplete gamma and beta
// functions, and the normal quantile derived from them.

/** Maximum terms of a series or fraction; it converges long before. */
const MAX_TERMS = 20_000;
const EPSILON = 1e-15;
/** Replaces a zero divisor. Source: Lentz's method, Numerical Recipes, 5.2. */
const TINY = 1e-300;

/** Source: Lanczos' approximation with g = 7 and 9 terms (Godfrey). */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** Natural logarithm of the gamma function. @param x more than 0. Throws nothing. */
export const lnGamma = (x: number): number => {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x);
  const base = x - 1 + 7.5;
  const sum = LANCZOS.reduce((total, term, at) => (at === 0 ? term : total + term / (x - 1 + at)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(base) - base + Math.log(sum);
};

/** Factor of the series and fraction of the incomplete gamma function. */
const gammaFactor = (a: number, x: number): number => Math.exp(-x + a * Math.log(x) - lnGamma(a));

const gammaSeries = (a: number, x: number): number => {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < MAX_TERMS && Math.abs(term) > Math.abs(sum) * EPSILON; n += 1) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * gammaFactor(a, x);
};

const gammaFraction = (a: number, x: number): number => {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < MAX_TERMS; n += 1) {
    const term = -n * (n - a);
    b += 2;
    d = 1 / (Math.abs(term * d + b) < TINY ? TINY : term * d + b);
    c = Math.abs(b + term / c) < TINY ? TINY : b + term / c;
    value *= d * c;
    if (Math.abs(d * c - 1) < EPSILON) break;
  }
  return value * gammaFactor(a, x);
};

/**
 * Upper regularized incomplete gamma function Q(a, x). Throws nothing.
 *
 * @param a more than 0
 * @param x 0 or more
 * Source: Numerical Recipes, 6.2 (series below a + 1, continued fraction above).
 */
export const gammaQ = (a: number, x: number): number => {
  if (x <= 0) return 1;
  return x < a + 1 ? 1 - gammaSeries(a, x) : gammaFraction(a, x);
};

const betaFraction = (a: number, b: number, x: number): number => {
  let c = 1;
  let d = 1 - ((a + b) * x) / (a + 1);
  d = 1 / (Math.abs(d) < TINY ? TINY : d);
  let value = d;
  for (let m = 1; m < MAX_TERMS; m += 1) {
    let change = 1;
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / (Math.abs(1 + term * d) < TINY ? TINY : 1 + term * d);
      c = Math.abs(1 + term / c) < TINY ? TINY : 1 + term / c;
      change = d * c;
      value *= change;
    }
    if (Math.abs(change - 1) < EPSILON) break;
  }
  return value;
};

/** Logarithm of the density of a Beta distribution. @param x between 0 and 1. Throws nothing. */
export const lnBetaDensity = (a: number, b: number, x: number): number =>
  lnGamma(a + b) - lnGamma(a) - lnGamma(b) + (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x);

/**
 * Regularized incomplete beta function: the distribution function of Beta(a, b). Throws nothing.
 *
 * Source: Numerical Recipes, 6.4 (continued fraction, on the side where it converges fast).
 */
export const betaI = (a: number, b: number, x: number): number => {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const factor = Math.exp(lnBetaDensity(a, b, x) + Math.log(x) + Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (factor * betaFraction(a, b, x)) / a
    : 1 - (factor * betaFraction(b, a, 1 - x)) / b;
};

/** Probability of a chi-squared value of at least `chi2`. Throws nothing. */
export const chiSquaredTail = (chi2: number, degrees: number): number =>
  degrees <= 0 ? 1 : gammaQ(degrees / 2, chi2 / 2);

/**
 * Number of standard deviations outside which this share of normal values lies (0.05: 1.96). Throws nothing.
 *
 * @param outside both tails together; between 0 and 1
 */
export const normalBound = (outside: number): number => {
  let [low, high] = [0, 40];
  for (let turn = 0; turn < 80; turn += 1) {
    const middle = (low + high) / 2;
    if (gammaQ(0.5, (middle * middle) / 2) > outside) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
