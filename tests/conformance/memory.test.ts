import { describeConformance } from './suite.js';

describeConformance({ name: 'in memory only', options: null, otherWay: null });
