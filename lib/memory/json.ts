import { PalimpsestError, type ErrorCode } from '../model/errors.js';
import { isMachinery, isWellFormed, LIMITS } from '../model/text.js';

/** Deeper than anybody writes by hand, and shallow enough for every reader's stack. */
const MAX_DEPTH = 64;

/**
 * Data that a store can keep as it is: JSON, of bearable size, in text that is text.
 *
 * @throws PalimpsestError the given code, `INVALID_TEXT`, `INVALID_NAME` or `TOO_LARGE`, naming the member at fault.
 */
export function ensureJson(value: unknown, field: string, code: ErrorCode): void {
  const refuse = (where: string, what: string, as: ErrorCode = code): never => {
    throw new PalimpsestError(as, `${where}: ${what}.`, { field: where });
  };
  let size = 0;
  const around = new Set<object>();
  const grow = (text: string, where: string): void => {
    if (!isWellFormed(text)) refuse(where, 'holds half of a surrogate pair', 'INVALID_TEXT');
    size += text.length;
    if (size > LIMITS.text) refuse(field, `is longer than ${LIMITS.text} characters`, 'TOO_LARGE');
  };
  const visit = (item: unknown, where: string, depth: number): void => {
    size += 1;
    if (item === null || typeof item === 'boolean') return;
    if (typeof item === 'string') return grow(item, where);
    if (typeof item === 'number') {
      if (!Number.isFinite(item)) refuse(where, 'is not a finite number');
      return;
    }
    if (typeof item !== 'object') return void refuse(where, `is not JSON: ${typeof item}`);
    if (around.has(item)) refuse(where, 'holds itself');
    if (depth > MAX_DEPTH) refuse(field, `is nested deeper than ${MAX_DEPTH} levels`, 'TOO_LARGE');
    around.add(item);
    members(item, where, depth);
    around.delete(item);
  };
  const members = (item: object, where: string, depth: number): void => {
    if (Array.isArray(item)) {
      item.forEach((member, i) => visit(member, `${where}[${i}]`, depth + 1));
      return;
    }
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== Object.prototype && prototype !== null) refuse(where, 'is not plain JSON');
    for (const [name, member] of Object.entries(item)) {
      if (isMachinery(name)) refuse(where, `has a member called ${name}`, 'INVALID_NAME');
      grow(name, where);
      if (member !== undefined) visit(member, `${where}.${name}`, depth + 1);
    }
  };
  visit(value, field, 0);
}
