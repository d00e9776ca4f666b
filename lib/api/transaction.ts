import { z } from 'zod';
import { check } from '../model/check.js';
import { PalimpsestError } from '../model/errors.js';
import type { OntologyDefinition } from '../model/ontology.js';
import { fieldsOf } from '../secrets/fields.js';
import { ensureNoSecrets } from '../secrets/secrets.js';
import { draftClaim } from '../memory/write/claim.js';
import type { Verb } from '../memory/write/commit.js';
import { draftCorrect } from '../memory/write/correct.js';
import { draftEnd } from '../memory/write/end.js';
import { draftAlias, draftDeclare, draftMerge, draftSplit } from '../memory/write/entities.js';
import {
  AssertInputSchema,
  CorrectInputSchema,
  EndInputSchema,
  RetractInputSchema,
} from '../memory/write/input.js';
import { draftRetract } from '../memory/write/retract.js';
import type { TransactionWrites } from './writes.js';

const FunctionSchema = z.unknown().refine((v) => typeof v === 'function', 'is not a function');

/** The verbs that a function asks for. `inputs` gets each input before it is looked at. */
export function collectVerbs<O extends OntologyDefinition>(
  collect: (t: TransactionWrites<O>) => void,
  inputs: unknown[],
): readonly Verb[] {
  const verbs: Verb[] = [];
  check(FunctionSchema, collect, 'collect');
  let isOpen = true;
  const add = (verb: Verb): void => {
    if (!isOpen) {
      throw new PalimpsestError('INVALID_INPUT', 'The transaction has run already.', {
        field: 'collect',
        hint: 'Call its verbs within the function that transact is given.',
      });
    }
    verbs.push(verb);
  };
  const returned: unknown = collect({
    assert: (input) => {
      inputs.push(input);
      const said = check(AssertInputSchema, input);
      add((draft) => draftClaim(draft, said));
    },
    end: (input) => {
      inputs.push(input);
      const said = check(EndInputSchema, input);
      add((draft) => draftEnd(draft, said));
    },
    correct: (input) => {
      inputs.push(input);
      const said = check(CorrectInputSchema, input);
      add((draft) => draftCorrect(draft, said));
    },
    retract: (what) => {
      const ids = check(RetractInputSchema, what, 'id');
      add((draft) => draftRetract(draft, ids));
    },
    entities: {
      declare: (entity) => add((draft) => draftDeclare(draft, entity)),
      alias: (entity, name) => add((draft) => draftAlias(draft, entity, name)),
      merge: (from, into) => add((draft) => draftMerge(draft, from, into)),
      split: (entity) => add((draft) => draftSplit(draft, entity)),
    },
  });
  isOpen = false;
  if (returned instanceof Promise) {
    // Nobody else will look at how it ends.
    returned.catch(() => undefined);
    throw new PalimpsestError('INVALID_INPUT', 'transact takes a function that is not async.', {
      field: 'collect',
      hint: 'Collect the verbs first; the transaction runs when the function has returned.',
    });
  }
  return verbs;
}

/**
 * Runs a write. When it fails on something that holds a credential, that is the error: any other
 * might quote it. What succeeds has passed the store's own check.
 *
 * @throws PalimpsestError `SECRET_REFUSED`, and what `write` throws.
 */
export async function discreetly<T>(
  inputs: readonly unknown[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    for (const input of inputs) ensureNoSecrets(fieldsOf(input));
    throw error;
  }
}
