/** What we use of the two engines' JavaScript interface: the same in both, but for the ninth argument. */

export type Param = string | number | boolean | null;
export type Params = Readonly<Record<string, Param>>;
export type Row = Readonly<Record<string, unknown>>;

export interface NativeResult {
  hasNext(): boolean;
  getNextSync(): Row;
  close(): void;
}

export interface NativeStatement {
  isSuccess(): boolean;
  getErrorMessage(): string;
}

export interface NativeConnection {
  init(): Promise<void>;
  prepare(text: string): Promise<NativeStatement>;
  execute(statement: NativeStatement, params?: Params): Promise<NativeResult | NativeResult[]>;
  query(text: string): Promise<NativeResult | NativeResult[]>;
  setQueryTimeout(ms: number): void;
  close(): Promise<void>;
}

export interface NativeDatabase {
  init(): Promise<void>;
  close(): Promise<void>;
}

export interface NativeModule {
  readonly VERSION: string;
  readonly STORAGE_VERSION: number | bigint;
  readonly Database: new (
    path: string,
    bufferPoolBytes: number,
    compression: boolean,
    readOnly: boolean,
    maxDbBytes: number,
    autoCheckpoint: boolean,
    checkpointThreshold: number,
    throwOnWalReplayFailure?: boolean,
    enableChecksums?: boolean,
  ) => NativeDatabase;
  readonly Connection: new (database: NativeDatabase) => NativeConnection;
}
