import type { MatchCondition } from '@langchain/langgraph-checkpoint';

/** Whether a namespace begins or ends so; `*` stands for any label. */
export function matches(
  { matchType, path }: MatchCondition,
  namespace: readonly string[],
): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, i) => label === '*' || label === namespace[start + i]);
}

/** Whether a value has what a filter asks for, field by field. */
export const matchesAll = (
  filter: Readonly<Record<string, unknown>> | undefined,
  value: Readonly<Record<string, unknown>>,
): boolean => Object.entries(filter ?? {}).every(([field, wanted]) => isMet(value[field], wanted));

function isMet(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return value === wanted;
  const operators = Object.entries(wanted).filter(([name]) => name.startsWith('$'));
  if (operators.length === 0) return value === wanted;
  return operators.every(([name, operand]) => compare(name, value, operand));
}

function compare(operator: string, value: unknown, operand: unknown): boolean {
  switch (operator) {
    case '$eq':
      return value === operand;
    case '$ne':
      return value !== operand;
    case '$gt':
      return Number(value) > Number(operand);
    case '$gte':
      return Number(value) >= Number(operand);
    case '$lt':
      return Number(value) < Number(operand);
    case '$lte':
      return Number(value) <= Number(operand);
    case '$in':
      return Array.isArray(operand) && operand.includes(value);
    case '$nin':
      return !Array.isArray(operand) || !operand.includes(value);
    default:
      return false;
  }
}
