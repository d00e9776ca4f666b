import { findAllSecrets } from './secrets.js';

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
