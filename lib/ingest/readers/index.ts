export { detectReader, readerNamed } from './detect.js';
export { readSession, type ReadSessionOptions, type SessionSource } from './read-session.js';
export type { Line, Reader, ReaderOptions } from './reader.js';
export { tally } from './tally.js';
