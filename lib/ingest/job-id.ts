import { contentHash } from '../model/ids.js';

/** Equal events of equal scope make the same job, so telling them again doubles nothing. */
export const jobId = (content: unknown): string => `j_${contentHash(JSON.stringify(content))}`;
