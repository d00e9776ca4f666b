/** What says nothing about the world, whatever came before. */
const PLEASANTRY =
  /^(?:hi|hello|hey|thanks?(?: you)?(?: so much)?|thx|good (?:morning|evening|night)|bye|see you|你好|您好|谢谢(?:你|您)?|再见|早上好|晚安|辛苦了)[\s!.,~?。!,?…]*$/iu;

/** What says nothing about the world unless it answers a question. */
const ASSENT =
  /^(?:ok(?:ay)?|yes|no|yep|nope|sure|great|cool|nice|perfect|go on|continue|please continue|lgtm|done|好的?|嗯+|是的|对的?|不是|可以|行|没问题|继续|收到|明白了?)[\s!.,~?。!,?…]*$/iu;

/** Of a text before an answer: a question stands at its end. */
const ASKED_WITHIN = 300;
const ASKS = /[?？]|[吗呢吧么](?:[\s。.!！"”」』]*)$/u;
const LONGEST = 40;

/** Turns in which nobody says anything about the world: no call is made for these. */
export function isSmallTalk(text: string, before: string | null = null): boolean {
  const trimmed = text.trim();
  if (trimmed.length >= LONGEST) return false;
  if (trimmed === '' || PLEASANTRY.test(trimmed)) return true;
  // "yes" says as much as the question that it answers.
  if (before !== null && ASKS.test(before.trim().slice(-ASKED_WITHIN))) return false;
  return trimmed.length < 2 || ASSENT.test(trimmed);
}
