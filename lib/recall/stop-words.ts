/** English words that stand in nearly every sentence. None of them says what a text is about. */
const LIST = `
a about above after again against all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing down during each few for from further had has have
having he her here hers herself him himself his how i if in into is it its itself just me more most my
myself no nor not of off on once only or other ought our ours ourselves out over own same she should so
some such than that the their theirs them themselves then there these they this those through to too under
until up us very was we were what when where which while who whom why will with would you your yours
yourself yourselves
ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll he's here's how's i'd i'll
i'm i've isn't it'll it's let's mustn't shan't she'd she'll she's shouldn't that's there's they'd they'll
they're they've wasn't we'd we'll we're we've weren't what's when's where's who's why's won't wouldn't you'd
you'll you're you've
`;

const WORDS: ReadonlySet<string> = new Set(LIST.split(/\s+/).filter((word) => word !== ''));

/** `word` in lower case, with a straight apostrophe if any. */
export const isStopWord = (word: string): boolean => WORDS.has(word);

/**
 * Han characters that by themselves are particles and pronouns: as single terms they stand in nearly every
 * sentence. In pairs with others (目的, 其他, 吉他) they are kept.
 */
const CHARACTERS: ReadonlySet<string> = new Set(
  '的了是着过我你您他她它们这那哪谁在和与及或也都就很吗呢啊吧呀么嘛過們這誰與嗎麼',
);

export const isStopCharacter = (character: string): boolean => CHARACTERS.has(character);
