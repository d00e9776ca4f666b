import {
  instantIn,
  statementOf,
  type ImportedStatement,
  type ReadStatements,
} from './statement.js';

const DATE = /(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?/u;

const dateIn = (text: string): string | null => {
  const [, day, time] = DATE.exec(text) ?? [];
  return day === undefined ? null : instantIn(time === undefined ? day : `${day} ${time}`);
};

/**
 * Notes and journals: a bullet or a paragraph is a statement. It became known on the date of its heading, else of the
 * front matter, else of the file's name, and is about what the last heading without a date names.
 */
export function readMarkdown(text: string, fileName: string): ReadStatements {
  const [, head = '', body = text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/u.exec(text) ?? [];
  const title = /^(?:title|name|subject):\s*["']?(.+?)["']?\s*$/mu.exec(head)?.[1];
  const stem = fileName.replace(/\.[^.]*$/u, '');
  let subject = title ?? (dateIn(stem) === null ? stem : 'notes');
  let knownAt =
    dateIn(/^(?:updated|modified|created|date).*$/mu.exec(head)?.[0] ?? '') ?? dateIn(stem);
  const statements: ImportedStatement[] = [];
  let open: string[] = [];
  const close = (): void => {
    const said = open.join(' ').trim();
    open = [];
    if (said === '') return;
    statements.push(
      statementOf({ subject, predicate: 'noted', object: said, statement: said, knownAt }),
    );
  };
  let inCode = false;
  for (const line of body.split('\n')) {
    if (/^\s*(?:```|~~~)/u.test(line)) inCode = !inCode;
    if (inCode) continue;
    const heading = /^#{1,6}\s+(.*)$/u.exec(line)?.[1];
    const bullet = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/u.exec(line)?.[1];
    if (heading !== undefined || bullet !== undefined || line.trim() === '') close();
    if (heading !== undefined) {
      const at = dateIn(heading);
      if (at === null) subject = heading.trim();
      else knownAt = at;
    } else if (bullet === undefined) {
      if (!/^\s*(?:```|~~~)/u.test(line)) open.push(line.trim());
    } else open.push(bullet);
  }
  close();
  return { statements, problems: [] };
}
