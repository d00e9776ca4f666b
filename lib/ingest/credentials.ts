import { PalimpsestError } from '../model/errors.js';
import { fieldsOf } from '../secrets/fields.js';
import { checkSecrets, findAllSecrets } from '../secrets/secrets.js';

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

/** The text with every credential cut out: what people paste into a session is not to be kept. */
export async function withoutSecrets(text: string): Promise<string> {
  const found = await findAllSecrets(text);
  let out = '';
  let at = 0;
  for (const { kind, start, end } of found) {
    out += `${text.slice(at, start)}[${kind} removed]`;
    at = end;
  }
  return out + text.slice(at);
}
