import { describe } from 'vitest';
import { describeGraph } from './suite.js';

// A file of its own: the two engines in one process crash it at exit.
describe('the graph on ladybug', () => describeGraph('ladybug'));
