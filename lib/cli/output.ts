import { once } from 'node:events';
import { styleText } from 'node:util';

/** Whoever read our output has gone, such as `head` after its last line. */
export class PipeClosed extends Error {
  override readonly name = 'PipeClosed';
}

export type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Where answers go: stdout, data only. What is not data goes to stderr, and to people only. */
export class Output {
  readonly json: boolean;
  readonly #isColoured: boolean;
  #isClosed = false;

  constructor(json: boolean) {
    this.json = json;
    this.#isColoured = process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '';
    process.stdout.on('error', (error: Error) => {
      if ('code' in error && error.code === 'EPIPE') this.#isClosed = true;
      else throw error;
    });
  }

  /** Columns to draw in. */
  get columns(): number {
    return process.stdout.isTTY ? Math.min(Math.max(process.stdout.columns, 72), 160) : 100;
  }

  style(style: Style, text: string): string {
    return this.#isColoured ? styleText(style, text) : text;
  }

  /** @throws PipeClosed */
  async line(text = ''): Promise<void> {
    if (this.#isClosed) throw new PipeClosed();
    if (process.stdout.write(`${text}\n`)) return;
    await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]);
  }

  async lines(lines: Iterable<string>): Promise<void> {
    for (const line of lines) await this.line(line);
  }

  /** One JSON document. */
  document(value: unknown): Promise<void> {
    return this.line(JSON.stringify(value, null, 2));
  }

  /** One line of JSON Lines. */
  record(value: unknown): Promise<void> {
    return this.line(JSON.stringify(value));
  }

  /** A remark for people, such as that there is nothing. */
  remark(text: string): void {
    if (!this.json) process.stderr.write(`${text}\n`);
  }
}
