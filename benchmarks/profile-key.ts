import { longKey } from './key.js';
import { table } from './report.js';
console.log(table(await longKey()));
