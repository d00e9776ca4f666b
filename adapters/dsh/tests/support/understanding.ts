import type { Otherwise } from './scripted.js';

interface Understood {
  readonly action?: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly validFrom?: string;
}

const NOTHING = {
  subjectType: null,
  objectType: null,
  objectKind: null,
  validFrom: null,
  validTo: null,
  statement: null,
  confidence: null,
  target: null,
};

/** A model that understands some phrases, wherever they are said, and nothing else. */
export const understanding =
  (phrases: Readonly<Record<string, Understood>>): Otherwise =>
  (prompt) => {
    const events = sectionOf(prompt, 'events');
    const facts = sectionOf(prompt, 'facts');
    const candidates = events.flatMap(({ seq, text }) =>
      Object.entries(phrases).flatMap(([quote, understood]) => {
        if (!String(text).includes(quote)) return [];
        const { action = 'add', ...rest } = understood;
        const target = facts.find(
          (f) => f['subject'] === rest.subject && f['predicate'] === rest.predicate,
        )?.['id'];
        const replaces = action !== 'add' && target !== undefined;
        return [{ ...NOTHING, ...rest, action, seq, quote, ...(replaces ? { target } : {}) }];
      }),
    );
    return JSON.stringify({ candidates });
  };

function sectionOf(prompt: string, name: string): readonly Readonly<Record<string, unknown>>[] {
  const from = prompt.lastIndexOf(`<${name}>\n`);
  const to = prompt.indexOf(`</${name}>`, from);
  return prompt
    .slice(from + name.length + 3, to)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
