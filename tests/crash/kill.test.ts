import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openMemory } from '../../lib/index.js';
import { ended, runChild } from '../support/child.js';
import { temporaryFolder } from '../support/folder.js';

const ROUNDS = Number(process.env['PALIMPSEST_KILLS'] ?? 50);

/** The marks of the transactions that are there. Each made several claims: all of them are, or none. */
async function look(path: string): Promise<readonly number[]> {
  const memory = await openMemory({ path, graph: 'none' });
  try {
    const shop = memory.in({ org: 'acme', project: 'shop' });
    const marks: number[] = [];
    for await (const { entries } of memory.admin({ org: 'acme' }).transactions()) {
      const told = entries.flatMap((e) => (e.op === 'claim' ? [e.claim] : []));
      if (told.length === 0) continue;
      const mark = told[0]?.object;
      const value = mark !== undefined && 'number' in mark ? mark.number : NaN;
      expect(told.map((c) => c.predicate).slice(0, 3)).toEqual(['mark', 'size', 'text']);
      expect(told).toHaveLength(value % 10 === 0 ? 4 : 3);
      const size = told[1]?.object;
      expect(size).toEqual({ number: told[2]?.statement?.length });
      marks.push(value);
    }
    const facts = await shop.facts({ predicate: 'mark', validAt: '2026-01-01' });
    expect(facts.map((f) => f.object).sort((a, b) => Number(a) - Number(b))).toEqual(marks);
    return marks;
  } finally {
    await memory.close();
  }
}

async function answers(path: string, resident: boolean): Promise<unknown> {
  const memory = await openMemory({ path, graph: 'kuzu', resident });
  try {
    const shop = memory.in({ org: 'acme', project: 'shop' });
    return JSON.parse(
      JSON.stringify({
        facts: await shop.facts({ predicate: ['mark', 'text'], validAt: '2025-01-01', limit: 200 }),
        history: await shop.history({ subject: 'shop', predicate: 'round' }),
        neighbors: await shop.neighbors({ subject: 'shop', validAt: '2025-01-01' }),
      }),
    );
  } finally {
    await memory.close();
  }
}

test.each(['short', 'long'])(
  `a memory that is killed ${ROUNDS} times while it writes %s texts has every acknowledged transaction, and no half of one`,
  async (kind) => {
    const folder = join(temporaryFolder(), 'store');
    let marks: readonly number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const next = Math.max(0, ...marks) + 1;
      const child = runChild(new URL('children/writer.ts', import.meta.url), [
        folder,
        kind,
        String(next),
      ]);
      const acknowledged: number[] = [];
      const isWriting = new Promise<void>((resolve, reject) => {
        child.on('message', (message) => {
          if (typeof message === 'number') acknowledged.push(message);
          // Some rounds are ended within the first opening.
          if (round % 5 === 4 || typeof message === 'number') resolve();
        });
        child.once('exit', (code) => reject(new Error(`The child ended by itself: ${code}.`)));
      });
      await isWriting;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
      child.kill('SIGKILL');
      expect(await ended(child)).toBe('SIGKILL');

      const found = await look(folder);
      expect(found.slice(0, marks.length)).toEqual(marks);
      const fresh = found.slice(marks.length);
      expect(fresh.slice(0, acknowledged.length)).toEqual(acknowledged);
      // One more may have become durable without having been acknowledged.
      expect(fresh.length - acknowledged.length).toBeLessThanOrEqual(1);
      marks = found;
    }
    expect(marks.length).toBeGreaterThan(ROUNDS);
    expect(await answers(folder, false)).toEqual(await answers(folder, true));
  },
  ROUNDS * 20_000,
);
