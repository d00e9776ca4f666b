export { detectReader, READERS, readerNamed } from './detect.js';
export { readSession, type ReadSessionOptions, type SessionSource } from './read-session.js';
export type { Line, Reader, ReaderOptions, Unreadable } from './reader.js';
export { tally, type Tally } from './tally.js';
