import { describeConformance } from './suite.js';

// A file of its own: the two engines in one process crash it at exit.
describeConformance({
  name: 'kuzu, answers from the index',
  options: (path) => ({ path, graph: 'kuzu' }),
  otherWay: (path) => ({ path, graph: 'kuzu', resident: false }),
});
describeConformance({
  name: 'kuzu, answers from the graph',
  options: (path) => ({ path, graph: 'kuzu', resident: false }),
  otherWay: (path) => ({ path, graph: 'kuzu' }),
});
