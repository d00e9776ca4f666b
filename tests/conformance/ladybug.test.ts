import { describeConformance } from './suite.js';

// A file of its own: the two engines in one process crash it at exit.
describeConformance({
  name: 'ladybug, answers from the index',
  options: (path) => ({ path, graph: 'ladybug' }),
  otherWay: (path) => ({ path, graph: 'ladybug', resident: false }),
});
describeConformance({
  name: 'ladybug, answers from the graph',
  options: (path) => ({ path, graph: 'ladybug', resident: false }),
  otherWay: (path) => ({ path, graph: 'ladybug' }),
});
