import { defineOntology, entity, type Scope } from '../../lib/index.js';
import type { Random } from './random.js';

/** What the random work is about. */
export const ontology = defineOntology({
  predicates: {
    database: { cardinality: 'one', staleAfter: { days: 400 } },
    owner: { cardinality: 'one', object: entity('person'), inverse: 'owns' },
    knows: { symmetric: true, object: entity('person') },
    met: { kind: 'event', object: entity('person') },
    lead: { cardinality: 'one' },
  },
});

/** Predicates that the random work writes; `uses` is not declared. */
export const PREDICATES = ['database', 'owner', 'knows', 'met', 'uses'] as const;

export const SCOPES: readonly Scope[] = [
  { org: 'acme', project: 'shop', user: 'ana' },
  { org: 'acme', project: 'shop' },
  { org: 'acme', user: 'ana' },
  { org: 'acme' },
  { org: 'birch' },
];

/** Handles that see nothing but their own scope: what they answer follows from the model alone. */
export const ALONE: readonly Scope[] = [{ org: 'acme' }, { org: 'birch' }];

export const PEOPLE = ['Ana', 'Bo', 'Chi', '李雷', 'Zoë', "O'Hara"] as const;
export const THINGS = ['shop', 'depot', 'atlas'] as const;
/** Takes part in no merge and has no other names, so that its history can be foretold. */
export const LONER = 'lighthouse';
const VALUES = ['SQLite', 'Postgres', 'MySQL', '', 'emoji 🗻', 'it\'s \\ "quoted"'] as const;

/** A day between 2020 and 2026. */
export function day(random: Random): string {
  const year = 2020 + random.below(6);
  const month = String(1 + random.below(12)).padStart(2, '0');
  return `${year}-${month}-${String(1 + random.below(28)).padStart(2, '0')}`;
}

/** As precise as people are. */
export function date(random: Random): string {
  const full = day(random);
  return random.chance(0.2) ? full.slice(0, 4) : random.chance(0.2) ? full.slice(0, 7) : full;
}

const typed = (name: string): { name: string; type: string } => ({ name, type: 'person' });

/** Something to tell, with what tells it apart from every other telling. */
export function telling(
  random: Random,
  mark: number,
): Record<string, unknown> & { predicate: string } {
  const predicate = random.pick(PREDICATES);
  const isBetweenPeople = predicate === 'knows' || predicate === 'met';
  const from = random.chance(0.12) ? 'unknown' : date(random);
  const isDenial = random.chance(0.12);
  return {
    subject: isBetweenPeople ? typed(random.pick(PEOPLE)) : random.pick(THINGS),
    predicate,
    object: objectOf(random, predicate, isDenial),
    ...(isDenial ? { polarity: 'deny' } : {}),
    validFrom: from,
    ...(random.chance(0.35) ? { validTo: endOf(random, from) } : {}),
    observedAt: day(random),
    ...(random.chance(0.25)
      ? { origin: random.pick(['user', 'document', 'assistant', 'tool']) }
      : {}),
    ...evidenceOf(random, mark),
    ...(random.chance(0.2) ? { confidence: Math.round(random.next() * 100) / 100 } : {}),
    ...(random.chance(0.3) ? { statement: `Statement ${mark}: “${random.pick(VALUES)}”.` } : {}),
    ...(random.chance(0.15)
      ? { properties: { role: random.pick(['CTO', 'guest']), weight: random.below(3) } }
      : {}),
    ...(predicate === 'uses' && random.chance(0.2) ? { instance: `term ${random.below(2)}` } : {}),
    idempotencyKey: `telling ${mark}`,
  };
}

function objectOf(random: Random, predicate: string, isDenial: boolean): unknown {
  if (isDenial && random.chance(0.25)) return '*';
  if (predicate === 'owner' || predicate === 'knows' || predicate === 'met')
    return random.pick(PEOPLE);
  if (predicate === 'database') return random.pick(VALUES.filter((v) => v !== ''));
  return random.pick([
    { entity: random.pick(THINGS) },
    random.pick(VALUES),
    random.below(3),
    random.chance(0.5),
    { json: { a: [1, random.below(2)], b: null } },
    { instant: day(random) },
  ]);
}

function endOf(random: Random, from: string): string {
  if (random.chance(0.3)) return 'unknown';
  const year = from === 'unknown' ? 2022 : Number(from.slice(0, 4));
  return `${year + 1 + random.below(3)}-06-01`;
}

/** An assistant, and anybody else who is no program, must name an event. */
function evidenceOf(random: Random, mark: number): Record<string, unknown> {
  const event = {
    session: `session ${random.below(8)}`,
    seq: mark,
    quote: random.chance(0.5) ? `quote ${mark}` : '',
    role: random.pick(['user', 'assistant', 'tool'] as const),
  };
  return { evidence: random.chance(0.2) ? [event, { ...event, seq: mark + 1_000_000 }] : [event] };
}
