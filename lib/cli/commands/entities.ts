import { Command } from 'commander';
import type { Entity } from '../../index.js';
import { viewOf, withKnown, withMemory, type CommonOptions } from '../options.js';
import { Output } from '../output.js';
import { scopeText } from '../show.js';
import { tableLines } from '../table.js';
import { entityOf } from './facts.js';
import { unknownName } from './history.js';

interface EntitiesFlags extends CommonOptions {
  readonly type?: string;
}

export function entitiesCommand(): Command {
  return withKnown(new Command('entities'))
    .description('the entities of a scope with all their names, or those that a name means')
    .argument('[name]', 'name, alias or id')
    .option('--type <type>', 'only of this type')
    .action(async (name: string | undefined, flags: EntitiesFlags) => {
      const output = new Output(flags.json ?? false);
      await withMemory(flags, async (memory) => {
        const { entities } = viewOf(memory, flags);
        const found =
          name === undefined
            ? entities.list(flags.type === undefined ? {} : { type: flags.type })
            : (await entities.resolve(entityOf(name))).filter(
                (entity) => flags.type === undefined || entity.type === flags.type,
              );
        const all: Entity[] = [];
        for await (const entity of found) {
          if (output.json) await output.record(entity);
          else all.push(entity);
        }
        if (name !== undefined && Array.isArray(found) && found.length === 0)
          throw unknownName(name);
        if (output.json) return;
        if (all.length === 0) output.remark('No entities.');
        else await output.lines(entityLines(all, output));
      });
    });
}

function entityLines(entities: readonly Entity[], output: Output): string[] {
  const columns = ['name', 'type', 'other names', 'merged', 'scope', 'id'];
  const rows = entities.map((entity) => [
    entity.distinct === null ? entity.name : `${entity.name} (${entity.distinct})`,
    entity.type,
    entity.names.filter((name) => name !== entity.name).join(', '),
    entity.merged.map(({ name }) => name).join(', '),
    scopeText(entity.scope),
    entity.id,
  ]);
  return tableLines(
    columns.map((title) => ({ title, max: 48 })),
    rows,
    output,
  );
}
