import { describe, expect, it } from 'vitest';
import { brokenRules, instructionsOf } from './image.ts';

const GOOD = `# comment
FROM debian:bookworm-slim
RUN apt-get update \\
  && apt-get install -y --no-install-recommends curl \\
  # inside
  && rm -rf /var/lib/apt/lists/*
COPY a /a
USER 10001
WORKDIR /data
HEALTHCHECK CMD ["true"]
ENTRYPOINT ["/a"]
CMD ["serve"]
`;

describe('rules for a Dockerfile', () => {
  it('continued lines are one instruction, and comments are none', () => {
    const [from, run] = instructionsOf(GOOD);
    expect(from).toEqual({ keyword: 'FROM', text: 'debian:bookworm-slim' });
    expect(run?.text).toBe(
      'apt-get update && apt-get install -y --no-install-recommends curl && rm -rf /var/lib/apt/lists/*',
    );
    expect(brokenRules(instructionsOf(GOOD))).toEqual([]);
  });

  it.each([
    ['DL3002', 'USER 10001', 'USER root'],
    ['DL3006', 'debian:bookworm-slim', 'debian'],
    ['DL3007', 'bookworm-slim', 'latest'],
    ['DL3009', ' \\\n  # inside\n  && rm -rf /var/lib/apt/lists/*', ''],
    ['DL3015', ' --no-install-recommends', ''],
    ['DL3020', 'COPY', 'ADD'],
    ['DL3025', 'CMD ["serve"]', 'CMD serve'],
    ['DL3057', 'HEALTHCHECK CMD ["true"]\n', ''],
  ])('rule %s is checked', (rule, from, to) => {
    expect(brokenRules(instructionsOf(GOOD.replace(from, to))).map((name) => name.slice(0, 6))).toEqual([rule]);
  });
});
