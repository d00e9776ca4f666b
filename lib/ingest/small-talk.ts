/** Turns in which nobody says anything about the world: no call is made for these. */
const SMALL_TALK =
  /^(?:hi|hello|hey|thanks?(?: you)?(?: so much)?|thx|ok(?:ay)?|yes|no|yep|nope|sure|great|cool|nice|perfect|good (?:morning|evening|night)|bye|see you|go on|continue|please continue|lgtm|done|你好|您好|谢谢(?:你|您)?|好的?|嗯+|是的|对的?|不是|可以|行|没问题|继续|再见|早上好|晚安|辛苦了|收到|明白了?)[\s!.,~?。!,?…]*$/iu;

export const isSmallTalk = (text: string): boolean => {
  const trimmed = text.trim();
  return trimmed.length < 2 || (trimmed.length < 40 && SMALL_TALK.test(trimmed));
};
