/** What is known of an event besides its words. */
export interface EventLabel {
  /** The day on which it was said, in the asker's or the store's zone: `2023-05-02`. */
  readonly day: string | null;
  /** As readers know the speaker: a name, or `user` and `assistant`. */
  readonly speaker: string | null;
}

/** The text under which an event is searched: its day and speaker can be asked for like its words. */
export function searchedText({ day, speaker }: EventLabel, text: string): string {
  const said = speaker === null ? text : `${speaker}: ${text}`;
  return day === null ? said : `${day} ${said}`;
}
