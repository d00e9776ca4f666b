import { parseArgs } from 'node:util';

export const PARTS = ['writes', 'reads', 'growth', 'key'] as const;
export type Part = (typeof PARTS)[number];

export interface Options {
  readonly facts: number;
  readonly only: readonly Part[];
  /** Where the figures are written as JSON. */
  readonly out: string;
  /** Ask the graph at rest as well. */
  readonly graph: boolean;
}

const isPart = (text: string): text is Part => PARTS.some((part) => part === text);

/** `--facts 100000 --only reads,writes --no-graph --out artifacts/bench.json` */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      facts: { type: 'string', default: '100000' },
      only: { type: 'string', default: PARTS.join(',') },
      out: { type: 'string', default: 'artifacts/bench.json' },
      graph: { type: 'boolean', default: true },
    },
  });
  const facts = Number(values.facts);
  if (!Number.isSafeInteger(facts) || facts < 10_000) {
    throw new Error('--facts takes a whole number from 10000 on.');
  }
  const only = values.only.split(',');
  const unknown = only.find((part) => !isPart(part));
  if (unknown !== undefined) {
    throw new Error(`--only knows ${PARTS.join(', ')}, and not ${unknown}.`);
  }
  return { facts, only: only.filter(isPart), out: values.out, graph: values.graph };
}
