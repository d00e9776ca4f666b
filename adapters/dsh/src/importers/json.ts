import {
  instantIn,
  isFields,
  statementOf,
  textIn,
  type Fields,
  type ImportedStatement,
  type ReadStatements,
} from './statement.js';

/** The lines of the MCP memory server: entities with observations, and relations. It keeps no times. */
export function readMcp(text: string): ReadStatements {
  const statements: ImportedStatement[] = [];
  const problems: string[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fields = parsed(line);
    if (!isFields(fields)) {
      problems.push(`line ${i + 1} is no JSON object`);
      continue;
    }
    const [name, from, to] = [textIn(fields, 'name'), textIn(fields, 'from'), textIn(fields, 'to')];
    const relation = textIn(fields, 'relationType');
    if (fields['type'] === 'entity' && name !== null) {
      const kind = textIn(fields, 'entityType');
      if (kind !== null)
        statements.push(statementOf({ subject: name, predicate: 'is a', object: kind }));
      const observations = Array.isArray(fields['observations']) ? fields['observations'] : [];
      for (const said of observations) {
        if (typeof said !== 'string' || said.trim() === '') continue;
        statements.push(
          statementOf({ subject: name, predicate: 'noted', object: said, statement: said }),
        );
      }
    } else if (fields['type'] === 'relation' && from !== null && to !== null && relation !== null) {
      statements.push(
        statementOf({ subject: from, predicate: relation, object: to, isEntity: true }),
      );
    } else problems.push(`line ${i + 1} is neither an entity nor a relation`);
  }
  return { statements, problems };
}

/** What mem0 gives for all memories: a list, or an object with `results`. */
export function readMem0(text: string): ReadStatements {
  const { list, problems } = listIn(text, ['results', 'memories', 'data']);
  const statements = list.flatMap((fields, i): ImportedStatement[] => {
    const said = textIn(fields, 'memory', 'text', 'data');
    if (said === null) {
      problems.push(`entry ${i} has no text`);
      return [];
    }
    const subject = textIn(fields, 'user_id', 'agent_id', 'app_id', 'run_id') ?? 'notes';
    const knownAt = instantIn(fields['updated_at']) ?? instantIn(fields['created_at']);
    return [statementOf({ subject, predicate: 'noted', object: said, statement: said, knownAt })];
  });
  return { statements, problems };
}

/** Graphiti's entity edges, with the nodes that they name where they are exported, too. */
export function readGraphiti(text: string): ReadStatements {
  const whole = parsed(text);
  const { list, problems } = listIn(text, ['edges', 'facts', 'entity_edges']);
  const nodes =
    isFields(whole) && Array.isArray(whole['nodes']) ? whole['nodes'].filter(isFields) : [];
  const names = new Map(nodes.map((node) => [node['uuid'], textIn(node, 'name')]));
  const end = (edge: Fields, side: 'source' | 'target'): string | null => {
    const node = edge[`${side}_node`];
    return (
      names.get(edge[`${side}_node_uuid`]) ??
      textIn(edge, `${side}_node_name`, `${side}_name`, side) ??
      (isFields(node) ? textIn(node, 'name') : textIn(edge, `${side}_node`))
    );
  };
  const statements = list.flatMap((edge, i): ImportedStatement[] => {
    const [subject, object] = [end(edge, 'source'), end(edge, 'target')];
    const predicate = textIn(edge, 'name', 'relation_type');
    if (subject === null || object === null || predicate === null) {
      problems.push(`edge ${i} does not say between what it is`);
      return [];
    }
    const knownAt = instantIn(edge['created_at']);
    return [
      statementOf({
        subject,
        predicate: predicate.toLowerCase().replaceAll('_', ' '),
        object,
        isEntity: true,
        statement: textIn(edge, 'fact'),
        knownAt,
        validFrom: instantIn(edge['valid_at']),
        validTo: instantIn(edge['invalid_at']),
        endKnownAt: instantIn(edge['expired_at']),
      }),
    ];
  });
  return { statements, problems };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function listIn(
  text: string,
  names: readonly string[],
): { readonly list: readonly Fields[]; readonly problems: string[] } {
  const whole = parsed(text);
  const held = isFields(whole) ? names.map((name) => whole[name]).find(Array.isArray) : whole;
  if (!Array.isArray(held)) return { list: [], problems: ['there is no list of memories in it'] };
  return { list: held.filter(isFields), problems: [] };
}
