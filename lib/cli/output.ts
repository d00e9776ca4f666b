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
  /** Whoever waits until there is room in the pipe. */
  #goOn: () => void = () => undefined;

  constructor(json: boolean) {
    this.json = json;
    this.#isColoured = process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '';
    process.stdout.on('drain', () => this.#goOn());
    process.stdout.on('error', (error: Error) => {
      if (!('code' in error) || error.code !== 'EPIPE') throw error;
      this.#isClosed = true;
      this.#goOn();
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
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
    });
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
