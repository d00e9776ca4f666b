import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fixture } from '../support/fixtures.js';
import { temporaryFolder } from '../support/folder.js';
import { palimpsest } from './command-line.js';

const roster = fixture('congress');

const Probes = z.array(
  z.looseObject({
    kind: z.string(),
    seat: z.string().optional(),
    valid_at: z.string().optional(),
    known_at: z.string().optional(),
    expect: z.unknown(),
  }),
);
const Fact = z.looseObject({ subject: z.looseObject({ name: z.string() }) });

test.skipIf(roster === null)('import takes a real roster from the command line, once', async () => {
  const cwd = temporaryFolder();
  const scope = ['--scope', 'org=congress'];
  const events = join(roster ?? '', 'events.jsonl');
  const args = ['import', events, ...scope, '--graph', 'none', '--json'];
  const first = await palimpsest(args, { cwd });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(first.stdout)).toMatchObject({ lines: 3507, skipped: 0 });
  const again = await palimpsest(args, { cwd });
  expect(JSON.parse(again.stdout)).toMatchObject({ lines: 3507, skipped: 3507, claims: 0 });

  const probes = Probes.parse(JSON.parse(readFileSync(join(roster ?? '', 'probes.json'), 'utf8')));
  const seats = probes
    .filter(({ kind, seat }) => kind === 'seat_at' && seat !== undefined)
    .slice(0, 20);
  expect(seats.length).toBe(20);
  for (const { seat = '', valid_at = '', known_at = '', expect: who } of seats) {
    const { stdout } = await palimpsest(
      [
        'facts',
        '--predicate',
        'holds_seat',
        '--object',
        seat,
        '--valid',
        valid_at,
        '--known',
        known_at,
        ...scope,
        '--json',
      ],
      { cwd },
    );
    const lines = stdout.split('\n').filter((line) => line !== '');
    const names = new Set(lines.map((line) => Fact.parse(JSON.parse(line)).subject.name));
    expect({ seat, names }).toEqual({ seat, names: new Set(z.array(z.string()).parse(who)) });
  }
});
