import { Column } from './column.js';
import { nothingSeen, type Tables } from './tables.js';

/**
 * What one transaction did to the tables, so that it can be taken back: a dry run, a refusal or a
 * failed append leaves no trace. Growth is undone by length, changes of old cells one by one.
 */
export class Undo {
  readonly #tables: Tables;
  /** Of each part, in their order. */
  readonly #sizes: number[] = [];
  readonly #steps: (() => void)[] = [];

  constructor(tables: Tables) {
    this.#tables = tables;
    for (const part of tables.parts().values()) {
      this.#sizes.push(part instanceof Column ? part.length : part.size);
    }
  }

  /** Sets a cell which may be older than the transaction. */
  set(column: Pick<Column, 'get' | 'set'>, row: number, value: number): void {
    const before = column.get(row);
    this.#steps.push(() => column.set(row, before));
    column.set(row, value);
  }

  /** Sets an entry of a side map. */
  put<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    const before = map.get(key);
    this.#steps.push(() => {
      if (before === undefined) map.delete(key);
      else map.set(key, before);
    });
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }

  step(back: () => void): void {
    this.#steps.push(back);
  }

  rollback(): void {
    for (const step of this.#steps.reverse()) step();
    this.#steps.length = 0;
    this.#tables.predicateCache = new WeakMap();
    this.#tables.latestDefinitions = null;
    this.#tables.seen = nothingSeen();
    this.#tables.meanings.clear();
    let at = 0;
    for (const part of this.#tables.parts().values()) {
      part.truncate(this.#sizes[at++] ?? 0);
    }
  }
}
