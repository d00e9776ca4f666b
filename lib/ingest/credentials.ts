import { PalimpsestError } from '../model/errors.js';
import { fieldsOf } from '../secrets/fields.js';
import { checkSecrets } from '../secrets/secrets.js';

/** What of a candidate holds a credential, in words without it; `null` for nothing. */
export async function secretIn(candidate: unknown): Promise<string | null> {
  try {
    await checkSecrets(fieldsOf(candidate));
    return null;
  } catch (error) {
    if (PalimpsestError.isInstance(error)) return error.message;
    throw error;
  }
}
